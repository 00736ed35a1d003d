//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package platform

import (
	"errors"
	"os"
	"syscall"
)

// Locked takes the lock of a file for this process, until the file is closed or the process ends, and reports whether another one has it. File systems without locks have none to be had.
func Locked(f *os.File) (byOther bool) {
	return errors.Is(syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK)
}
