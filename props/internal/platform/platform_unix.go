//go:build unix

package platform

import (
	"errors"
	"os"
	"os/exec"
	"syscall"
)

// MapFile maps the first size bytes of a file into memory, shared with the file.
func MapFile(f *os.File, size int) ([]byte, error) {
	return syscall.Mmap(int(f.Fd()), 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
}

// MapZeros returns so many bytes of memory, all 0, of which the system provides what is written. Unmap gives it back.
func MapZeros(size int) ([]byte, error) {
	return syscall.Mmap(-1, 0, size, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
}

// Unmap ends a mapping by MapFile or MapZeros.
func Unmap(b []byte) error { return syscall.Munmap(b) }

// OwnGroup makes a command that is not started yet the first of a group of processes, and EndGroup ends it and all that it has started.
func OwnGroup(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// EndGroup ends a process that OwnGroup was called for.
func EndGroup(p *os.Process) error { return syscall.Kill(-p.Pid, syscall.SIGKILL) }

// ProcessLives reports whether a process of this number exists.
func ProcessLives(pid int) bool {
	err := syscall.Kill(pid, 0)
	return err == nil || errors.Is(err, syscall.EPERM)
}

// Blocking makes reads and writes of a pipe wait in the system: a goroutine that is tied to its thread goes on sooner then.
func Blocking(f *os.File) {
	if c, err := f.SyscallConn(); err == nil {
		_ = c.Control(func(fd uintptr) { _ = syscall.SetNonblock(int(fd), false) })
	}
}
