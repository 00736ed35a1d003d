//go:build !darwin

package apple

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOpenHere: off macOS there is a reason to skip.
func TestOpenHere(t *testing.T) {
	_, err := Open(Options{})
	require.ErrorContains(t, err, "Metal.framework is there on macOS only, and this is "+runtime.GOOS)
	_, err = Devices()
	require.ErrorContains(t, err, "use the simulator")
}
