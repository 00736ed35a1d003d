package device_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/props/device"
)

// tilesSource multiplies matrices by tiles of 8 rows and columns, a simdgroup each, which threadgroup memory fills up with zeros.
const tilesSource = `#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

kernel void tiles(device const float* a, device const float* b, device float* c, constant uint& m, constant uint& n, constant uint& depth,
                  uint2 tile [[threadgroup_position_in_grid]], uint lane [[thread_index_in_simdgroup]])
{
    threadgroup float left[64], right[64];
    simdgroup_float8x8 x, y, sum = make_filled_simdgroup_matrix<float, 8>(0.0f);
    for (uint from = 0; from < depth; from += 8) {
        for (uint i = lane; i < 64; i += 32) {
            const uint r = 8 * tile.y + i / 8, l = from + i % 8, k = from + i / 8, j = 8 * tile.x + i % 8;
            left[i] = r < m && l < depth ? a[r * depth + l] : 0.0f;
            right[i] = k < depth && j < n ? b[k * n + j] : 0.0f;
        }
        simdgroup_barrier(mem_flags::mem_threadgroup);
        simdgroup_load(x, left, 8);
        simdgroup_load(y, right, 8);
        simdgroup_multiply_accumulate(sum, x, y, sum);
        simdgroup_barrier(mem_flags::mem_threadgroup);
    }
    simdgroup_store(sum, left, 8);
    simdgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = lane; i < 64; i += 32) {
        const uint r = 8 * tile.y + i / 8, j = 8 * tile.x + i % 8;
        if (r < m && j < n) { c[r * n + j] = left[i]; }
    }
}
`

// tiles returns the shader with part of its text replaced.
func tiles(old, text string) device.Kernel {
	return device.Kernel{
		Name: "mine.metal#tiles", Source: strings.Replace(tilesSource, old, text, 1), Function: "tiles", Bind: "depth=k", Grid: "n/8 m/8",
		Threads: []model.Size3{{X: 32, Y: 1, Z: 1}}, Formula: formula.MatMul(formula.Matrix("a", "m", "k"), formula.Matrix("b", "k", "n"), "k"),
	}
}

// TestKernelSimdgroupMatrices: a product by simdgroup matrices is one under every law, and what is wrong with one is found by the law that says so:
// among that what takes one machine's elements of lanes for every machine's.
func TestKernelSimdgroupMatrices(t *testing.T) {
	tiles("", "").Check(t)
	for _, c := range []struct{ old, text, law, want string }{
		{"simdgroup_load(y, right, 8);", "simdgroup_load(y, right, 8, 0, true);", "formula.enclosure", "violates formula.enclosure"},
		{"sum, x, y, sum)", "sum, y, x, sum)", "formula.enclosure", "violates formula.enclosure"},
		{"        simdgroup_barrier(mem_flags::mem_threadgroup);\n        simdgroup_load", "        simdgroup_load", "kernel.race", "race at mine.metal:"},
		{"simdgroup_store(sum, left, 8)", "simdgroup_store(sum, left, 9)", "kernel.bounds", "out-of-bounds at mine.metal:22"},
		{"simdgroup_multiply_accumulate(sum", "if (lane < 24) simdgroup_multiply_accumulate(sum", "kernel.integers", "inactive-lane at mine.metal:"},
		{
			"simdgroup_store(sum, left, 8);", "const uint at = 8 * ((lane / 4 & 4) + lane / 2 % 4) + (lane / 4 & 2) * 2 + lane % 2 * 2;\n" +
				"    left[at] = sum.thread_elements()[0];\n    left[at + 1] = sum.thread_elements()[1];", "formula.enclosure", "violates formula.enclosure",
		},
	} {
		require.Contains(t, findFormula(t, tiles(c.old, c.text), c.law), c.want, c.text)
	}
}
