//go:build ((linux && !android) || darwin || windows) && (amd64 || arm64)

package opencl

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSymbols: a library without one of the symbols of OpenCL 1.2 is refused by the symbol's name, and one without those of 2.0 has no shared
// virtual memory.
func TestSymbols(t *testing.T) {
	for _, s := range (&native{}).later() {
		left := 0
		l, err := loadFrom(search(), missing{s.Name, &left})
		require.NoError(t, err, s.Name)
		require.False(t, l.SharedMemory(), s.Name)
		require.Equal(t, 1, left)
	}
	for _, s := range (&native{}).symbols() {
		left := 0
		_, err := loadFrom(search(), missing{s.Name, &left})
		require.ErrorContains(t, err, "symbol "+s.Name)
		require.ErrorContains(t, err, PathVariable)
		require.Zero(t, left, "libraries that were refused stay open")
	}
	left := 0
	l, err := loadFrom(search(), missing{"clNone", &left})
	require.NoError(t, err)
	require.True(t, l.SharedMemory())
}
