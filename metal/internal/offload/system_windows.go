//go:build windows && (amd64 || arm64)

package offload

import "syscall"

// System loads by LoadLibrary. It was compiled and vetted, and has not run on Windows yet.
type System struct{}

// Open loads a library.
func (System) Open(path string) (uintptr, error) {
	h, err := syscall.LoadLibrary(path)
	return uintptr(h), err
}

// Close unloads a library.
func (System) Close(library uintptr) {
	// If this fails the library stays, which is no worse than before.
	_ = syscall.FreeLibrary(syscall.Handle(library))
}

// Symbol returns the address of a symbol.
func (System) Symbol(library uintptr, name string) (uintptr, error) {
	return syscall.GetProcAddress(syscall.Handle(library), name)
}
