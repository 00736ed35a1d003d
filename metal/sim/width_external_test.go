package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/model"
)

// TestWidth: a pipeline has simdgroups as wide as the behaviour says, but for a kernel with simdgroup matrices.
func TestWidth(t *testing.T) {
	d := sim.New(sim.Options{Behaviour: model.Behaviour{SIMDWidth: 8}})
	l, err := d.NewLibrary(`using namespace metal;
kernel void plain(device float *x) { x[0] = 1; }
kernel void matrices(device float *x) { simdgroup_store(simdgroup_float8x8(1), x); }`, metal.CompileOptions{})
	require.NoError(t, err)
	for name, want := range map[string]int{"plain": 8, "matrices": 32} {
		f, err := l.NewFunction(name, nil)
		require.NoError(t, err)
		p, err := d.NewComputePipelineState(f)
		require.NoError(t, err)
		require.Equal(t, want, p.ThreadExecutionWidth(), name)
	}
}
