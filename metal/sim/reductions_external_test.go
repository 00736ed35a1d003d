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
kernel void products(device const float* x, device float* dst)
{
    simdgroup_float8x8 a, c = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    simdgroup_load(a, x, 8);
    simdgroup_multiply_accumulate(c, a, a, c);
    simdgroup_store(c, dst, 8);
}
`
	var x []uint32
	for i := range 64 {
		x = append(x, math.Float32bits(float32(i*i%7)+1/float32(i+3)))
	}
	run := func(name string, fixed bool, b model.Behaviour) []uint32 {
		d := sim.New(sim.Options{FixedReductions: fixed, Behaviour: b})
		defer d.Release()
		e, c := encoder(t, d)
		require.NoError(t, e.SetComputePipelineState(pipeline(t, d, text, name)))
		dst := buffer(t, d, make([]byte, 512))
		require.NoError(t, e.SetBuffer(buffer(t, d, words(x...)), 0, 0))
		require.NoError(t, e.SetBuffer(dst, 0, 1))
		require.NoError(t, e.DispatchThreadgroups(line(1), line(map[string]int{"sums": 64, "products": 32}[name])))
		require.NoError(t, finish(t, e, c))
		return read(t, dst)
	}
	for _, name := range []string{"sums", "products"} {
		want := run(name, true, model.Behaviour{})
		require.Equal(t, want, run(name, false, model.Behaviour{}))
		for _, order := range []string{"reverse", "stages", "accesses"} {
			b := model.Behaviour{Order: order, Seed: 5}
			require.Equal(t, want, run(name, true, b), "%s %s", name, order)
			require.NotEqual(t, want, run(name, false, b), "%s %s", name, order)
		}
	}
}
