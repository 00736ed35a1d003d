//go:build ((linux && !android) || darwin) && (amd64 || arm64)

package opencl

import "github.com/ebitengine/purego"

// system loads by dlopen.
type system struct{}

func (system) open(path string) (uintptr, error) {
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_GLOBAL)
}

func (system) symbol(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }
