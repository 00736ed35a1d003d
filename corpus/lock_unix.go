//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package corpus

import (
	"os"
	"syscall"
)

// lock waits until no other process saves to a directory, and keeps others from it until unlock is called or the process ends. Where the file system
// has no locks it keeps nobody.
func lock(dir string) (unlock func(), err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	for err = syscall.EINTR; err == syscall.EINTR; { //nolint:errorlint // a number of the system's
		err = syscall.Flock(int(d.Fd()), syscall.LOCK_EX)
	}
	return func() { _ = d.Close() }, nil
}
