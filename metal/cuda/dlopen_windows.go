//go:build windows && (amd64 || arm64)

package cuda

import (
	"path/filepath"
	"strings"
	"syscall"
)

// system loads by LoadLibrary. It was compiled and vetted, and has not run on Windows yet.
type system struct{}

func (system) open(path string) (uintptr, error) {
	// NVRTC opens its builtins by a bare name while it compiles, and Windows does not look beside NVRTC for it. Loaded before, they are found.
	if dir := filepath.Dir(path); dir != "." && strings.HasPrefix(filepath.Base(path), "nvrtc64_") {
		if more, err := filepath.Glob(filepath.Join(dir, "nvrtc-builtins64_*.dll")); err == nil {
			for _, p := range more {
				// If this fails NVRTC says what it misses.
				_, _ = syscall.LoadLibrary(p)
			}
		}
	}
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
