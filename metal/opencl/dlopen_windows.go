//go:build windows && (amd64 || arm64)

package opencl

import "syscall"

// system loads by LoadLibrary. It was compiled and vetted, and has not run on Windows yet.
type system struct{}

func (system) open(path string) (uintptr, error) {
	h, err := syscall.LoadLibrary(path)
	return uintptr(h), err
}

func (system) close(lib uintptr) {
	// If this fails the library stays, which is no worse than before.
	_ = syscall.FreeLibrary(syscall.Handle(lib))
}

func (system) symbol(lib uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(lib), name)
}
