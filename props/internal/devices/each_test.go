package devices

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	_ "gamma/metal/apple"
	_ "gamma/metal/cuda"
	_ "gamma/metal/opencl"
)

// TestChosen: hardware that is linked in is chosen without the flag, OpenCL only by name, and the simulator never as hardware.
func TestChosen(t *testing.T) {
	require.Contains(t, metal.Kinds(), "opencl", "this package's tests link it in")
	hardware, simulator := chosen(nil)
	require.True(t, simulator)
	require.NotContains(t, hardware, "opencl")
	require.NotContains(t, hardware, "sim")
	require.Len(t, hardware, len(metal.Kinds())-2)

	for _, c := range []struct {
		named     []string
		hardware  []string
		simulator bool
	}{
		{[]string{"cpu"}, nil, false},
		{[]string{"sim", "opencl"}, []string{"opencl"}, true},
		{[]string{"opencl", "cuda", "opencl", "cpu"}, []string{"opencl", "cuda"}, false},
	} {
		hardware, simulator := chosen(c.named)
		require.Equal(t, c.hardware, hardware, c.named)
		require.Equal(t, c.simulator, simulator, c.named)
	}
}
