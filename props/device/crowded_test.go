package device_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/model"
	"gamma/model/formula"
	"gamma/props"
	"gamma/props/device"
	"gamma/props/judge"
)

// crowded sums squares by simdgroups, and has room for the sums of 32 of them: 256 threads in simdgroups of 4 are 64.
const crowded = `
#include <metal_stdlib>
using namespace metal;

kernel void rms_norm(device const float* x, device const float* weight, device float* dst, constant uint& n, constant float& eps,
                     uint row [[threadgroup_position_in_grid]], uint tid [[thread_index_in_threadgroup]], uint threads [[threads_per_threadgroup]],
                     uint lane [[thread_index_in_simdgroup]], uint group [[simdgroup_index_in_threadgroup]], uint groups [[simdgroups_per_threadgroup]])
{
    threadgroup float part[32];
    device const float* r = x + row * n;
    float s = 0;
    for (uint i = tid; i < n; i += threads) s += r[i] * r[i];
    s = simd_sum(s);
    if (lane == 0) part[group] = s;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s = 0;
    for (uint i = 0; i < groups; i++) s += part[i];
    s = rsqrt(s / n + eps);
    for (uint i = tid; i < n; i += threads) dst[row * n + i] = r[i] * s * weight[i];
}
`

// TestCrowdedSimdgroups: as many simdgroups as a threadgroup can have are met by every seed, in a test and outside of one.
func TestCrowdedSimdgroups(t *testing.T) {
	f := formula.RMSNorm(formula.Matrix("x", "rows", "n"), formula.Vector("weight"), formula.Scalar("eps"))
	k, err := device.Props(device.Kernel{
		Name: "crowded.metal#rms_norm", Source: crowded, Function: "rms_norm", Formula: f, Grid: "rows", Min: map[string]int{"n": 1},
	})
	require.NoError(t, err)
	for _, id := range []model.LawID{model.KernelBounds, model.KernelRace} {
		l, err := judge.LawByID(judge.FormulaLaws(), id)
		require.NoError(t, err)
		for seed := range 4 {
			t.Setenv("GAMMA_SEED", fmt.Sprint(seed))
			c, _, v, err := judge.Search(l, props.Kernel(k), 200)
			require.NoError(t, err)
			require.Equal(t, id == model.KernelBounds, c != nil, "%s, seed %d: %v", id, seed, v)
		}
	}
}

// TestFindingInReports: a report on a kernel with a formula says where both accesses are, and which barrier does not order them.
func TestFindingInReports(t *testing.T) {
	f := formula.RMSNorm(formula.Matrix("x", "rows", "n"), formula.Vector("weight"), formula.Scalar("eps"))
	k, err := device.Props(device.Kernel{
		Name: "flagless.metal#rms_norm", Source: strings.Replace(crowded, "mem_flags::mem_threadgroup", "mem_flags::mem_none", 1), Function: "rms_norm",
		Formula: f, Grid: "rows", Min: map[string]int{"n": 1},
	})
	require.NoError(t, err)
	l, err := judge.LawByID(judge.FormulaLaws(), model.KernelRace)
	require.NoError(t, err)
	found, _, err := judge.Find(l, props.Kernel(k), 200)
	require.NoError(t, err)
	text := strings.Join(strings.Fields(found.Text()), " ")
	require.Contains(t, text, "threadgroup_barrier(mem_flags::mem_none) at flagless.metal:15:5 is between the two and does not order threadgroup memory")
	require.Contains(t, text, "the other access at flagless.metal:14:32")
}
