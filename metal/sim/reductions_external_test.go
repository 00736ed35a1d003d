package sim_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/sim"
	"gamma/model"
)

// TestFixedReductions: with the option every order of threads gives the bits of program order, and without it some order gives others.
func TestFixedReductions(t *testing.T) {
	const text = `#include <metal_stdlib>
using namespace metal;
kernel void sums(device const float* x, device float* dst, uint i [[thread_position_in_grid]])
{
    dst[2 * i] = simd_sum(x[i]);
    dst[2 * i + 1] = simd_prefix_inclusive_sum(x[i]);
}
`
	var x []uint32
	for i := range 64 {
		x = append(x, math.Float32bits(float32(i*i%7)+1/float32(i+3)))
	}
	run := func(fixed bool, b model.Behaviour) []uint32 {
		d := sim.New(sim.Options{FixedReductions: fixed, Behaviour: b})
		defer d.Release()
		e, c := encoder(t, d)
		require.NoError(t, e.SetComputePipelineState(pipeline(t, d, text, "sums")))
		dst := buffer(t, d, make([]byte, 512))
		require.NoError(t, e.SetBuffer(buffer(t, d, words(x...)), 0, 0))
		require.NoError(t, e.SetBuffer(dst, 0, 1))
		require.NoError(t, e.DispatchThreadgroups(line(1), line(64)))
		require.NoError(t, finish(t, e, c))
		return read(t, dst)
	}
	want := run(true, model.Behaviour{})
	require.Equal(t, want, run(false, model.Behaviour{}))
	for _, order := range []string{"reverse", "stages", "accesses"} {
		b := model.Behaviour{Order: order, Seed: 5}
		require.Equal(t, want, run(true, b), order)
		require.NotEqual(t, want, run(false, b), order)
	}
}
