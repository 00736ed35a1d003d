//go:build !((darwin || freebsd || linux) && (amd64 || arm64))

package foreign

import (
	"fmt"
	"runtime"
)

func openLibrary(string) (uintptr, error) {
	return 0, fmt.Errorf("libraries are loaded on Linux, macOS and FreeBSD, on amd64 and arm64, and not on %s/%s", runtime.GOOS, runtime.GOARCH)
}

func findSymbol(uintptr, string) (uintptr, error) { return 0, fmt.Errorf("no libraries here") }

func register(any, uintptr) {}

func others(string) string { return "" }
