//go:build windows && (amd64 || arm64)

package opencl

import "syscall"

// system loads by LoadLibrary.
type system struct{}

func (system) open(path string) (uintptr, error) {
	h, err := syscall.LoadLibrary(path)
	return uintptr(h), err
}

func (system) symbol(lib uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(lib), name)
}
