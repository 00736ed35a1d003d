//go:build ((linux && !android) || darwin) && (amd64 || arm64)

package offload

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// System loads by dlopen. Why that fails is asked in a second call, dlerror, which knows of its own thread alone.
type System struct{}

// Open loads a library.
func (System) Open(path string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// Not RTLD_GLOBAL: with two versions in one process, calls inside the second would end up in the first.
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

// Close unloads a library.
func (System) Close(library uintptr) {
	// If this fails the library stays, which is no worse than before.
	_ = purego.Dlclose(library)
}

// Symbol returns the address of a symbol.
func (System) Symbol(library uintptr, name string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlsym(library, name)
}
