//go:build ((linux && !android) || darwin) && (amd64 || arm64)

package opencl

import "github.com/ebitengine/purego"

// system loads by dlopen.
type system struct{}

func (system) open(path string) (uintptr, error) {
	// Not RTLD_GLOBAL: the symbols of one that is refused are not to be found by the next.
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func (system) close(lib uintptr) {
	// If this fails the library stays, which is no worse than before.
	_ = purego.Dlclose(lib)
}

func (system) symbol(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }
