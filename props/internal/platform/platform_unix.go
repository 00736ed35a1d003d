//go:build unix

package platform

import (
	"errors"
	"os"
	"syscall"
)

// MapFile maps the first size bytes of a file into memory, shared with the file.
func MapFile(f *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
}

// UnmapFile ends a mapping by MapFile.
func UnmapFile(b []byte) error { return syscall.Munmap(b) }

// ProcessLives reports whether a process of this number exists.
func ProcessLives(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}
