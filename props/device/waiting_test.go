package device

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/model"
	"gamma/props/judge"
)

// chained is a sum whose threadgroups wait for the one that took the ticket before.
const chained = `#include <metal_stdlib>
using namespace metal;
kernel void sum(device const float* x [[buffer(0)]], device atomic_uint* run [[buffer(1)]], device atomic_uint& ticket [[buffer(2)]],
                constant uint& n [[buffer(3)]], uint G [[threadgroups_per_grid]]) {
  uint g = atomic_fetch_add_explicit(&ticket, 1u, memory_order_relaxed), w = 0xffffffffu;
  threadgroup_barrier(mem_flags::mem_threadgroup);
  if (g > 0) do { w = atomic_load_explicit(&run[g - 1], memory_order_relaxed); } while (w == 0xffffffffu);
  float s = g > 0 ? as_type<float>(w) : 0.0f;
  for (uint i = g; i < n; i += G) s += x[i];
  atomic_store_explicit(&run[g], isnan(s) ? 0x7fc00000u : as_type<uint>(s), memory_order_relaxed);
}`

// TestWaiting: a kernel that waits for threadgroups that have begun fails under a schedule that starves one, with the assumption that it needs,
// and holds where the claim admits fair schedules alone.
func TestWaiting(t *testing.T) {
	t.Setenv("GAMMA_DIR", t.TempDir())
	admits := widestBehaviour(metal.MathSafe)
	s := Reduction{
		Name: "my.metal#sum", Source: chained, Function: "sum", Admits: &admits,
		Launches: func(int) []model.Launch { return []model.Launch{model.Launch1D(4, 1)} },
		Host: func(r *Run, x []float32) (float32, error) {
			in, e1 := r.Buffer("x", Floats(x))
			run, e2 := r.Buffer("run", Words{1<<32 - 1, 1<<32 - 1, 1<<32 - 1, 1<<32 - 1})
			ticket, e3 := r.Buffer("ticket", Words{0})
			e4 := r.Dispatch("sum", r.Launch(), in, run, ticket, uint32(len(x)))
			v, e5 := r.Float(run, 3)
			return v, errors.Join(e1, e2, e3, e4, e5)
		},
	}
	l, err := judge.LawByID(judge.Laws(), model.SumEnclosure)
	require.NoError(t, err)
	for _, fair := range []bool{false, true} {
		admits.Fair = fair
		p, err := Props(s)
		require.NoError(t, err)
		c, judged, v, err := judge.Search(l, p, 400)
		require.NoError(t, err)
		require.Positive(t, judged)
		if fair {
			require.Nil(t, c, "%v", v)
			continue
		}
		require.NotNil(t, c)
		require.Contains(t, v.Reason, "waits for ever in a loop in which it changes nothing")
		require.Contains(t, v.Reason, "set Fair in Admits")
	}
}
