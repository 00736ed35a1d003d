//go:build ((linux && !android) || darwin || windows) && (amd64 || arm64)

package opencl

import (
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"
)

// symbols are the names that a struct of calls asks for.
func symbols(calls any) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for i := range reflect.TypeOf(calls).NumField() {
			if name := reflect.TypeOf(calls).Field(i).Tag.Get("symbol"); name != "" && !yield(name) {
				return
			}
		}
	}
}

// TestSymbols: a library without one of the symbols of OpenCL 1.2 is refused by the symbol's name, and one without those of 2.0 has no shared
// virtual memory.
func TestSymbols(t *testing.T) {
	for name := range symbols(sharedMemory{}) {
		left := 0
		l, err := loadFrom(search(), missing{name, &left})
		require.NoError(t, err, name)
		require.False(t, l.SharedMemory(), name)
		require.Equal(t, 1, left)
	}
	n := 0
	for name := range symbols(native{}) {
		n++
		left := 0
		_, err := loadFrom(search(), missing{name, &left})
		require.ErrorContains(t, err, "symbol "+name)
		require.ErrorContains(t, err, PathVariable)
		require.Zero(t, left, "libraries that were refused stay open")
	}
	require.Equal(t, 26, n)
	left := 0
	l, err := loadFrom(search(), missing{"clNone", &left})
	require.NoError(t, err)
	require.True(t, l.SharedMemory())
}
