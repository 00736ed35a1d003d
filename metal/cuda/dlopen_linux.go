//go:build linux && !android && (amd64 || arm64)

package cuda

import (
	"path/filepath"
	"strings"

	"github.com/ebitengine/purego"
)

// system loads by dlopen.
type system struct{}

func (system) open(path string) (uintptr, error) {
	// NVRTC opens its builtins by a bare name while it compiles. Loaded before, by their path, they are found.
	if dir := filepath.Dir(path); dir != "." && strings.Contains(filepath.Base(path), "nvrtc") {
		if more, err := filepath.Glob(filepath.Join(dir, "libnvrtc-builtins.so*")); err == nil {
			for _, p := range more {
				// If this fails NVRTC says what it misses.
				_, _ = purego.Dlopen(p, purego.RTLD_NOW|purego.RTLD_LOCAL)
			}
		}
	}
	// Not RTLD_GLOBAL: with two versions in one process, calls inside the second would end up in the first.
	return purego.Dlopen(path, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

// close unloads a library, whose builtins stay.
func (system) close(lib uintptr) {
	// If this fails the library stays, which is no worse than before.
	_ = purego.Dlclose(lib)
}

func (system) symbol(lib uintptr, name string) (uintptr, error) { return purego.Dlsym(lib, name) }
