package sim_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/sim"
	"gamma/model"
)

// TestInactive: what a shuffle takes from an inactive lane may be computed with and copied, and is found where it is used, with the line of the
// shuffle. There are six threads, so that the last one's neighbour is missing.
func TestInactive(t *testing.T) {
	const head = `#include <metal_stdlib>
using namespace metal;
struct Two { half a, b; };
kernel void k(device float *outs [[buffer(0)]], device atomic_uint *count [[buffer(1)]], uint id [[thread_position_in_grid]]) {
  threadgroup float group[16]; threadgroup Two twos[16]; device float *out = outs + 2 * id;
  float s = float(id), u = simd_shuffle_down(s, 1); uint best = id, n = id >> 4; bool last = id == 5;
`
	for _, c := range []struct {
		body string
		line int    // of the finding in body, counted from 1; 0: none
		by   string // the shuffle
	}{
		{"u = u * 2 + s;", 0, ""},
		{"u = u * 2 + s;\nout[0] = u;", 2, "simd_shuffle_down"},
		{"if (!last) out[0] = u;", 0, ""},
		{"u = last ? 0.0f : u;\nout[0] = u;", 0, ""},
		{"uint b = simd_shuffle_down(id, 1); if (u > s) { s = u; best = b; }\nif (!last) out[1] = s + best;", 0, ""},
		{"u = u > 3 ? s : 1.0f;\nout[0] = u;", 2, "simd_shuffle_down"},
		{"if (u > 3)\nout[0] = s;", 1, "simd_shuffle_down"},
		{"bool b = !last && u > 3;\nif (b) out[0] = s;", 0, ""},
		{"uint b = simd_shuffle_down(0u, 1);\nouts[b + 2 * id] = 1;", 2, "simd_shuffle_down"},
		{"uint b = simd_shuffle_down(0u, 1);\nfor (uint i = 0; i < min(b, 3u); i++) out[1] = i;", 2, "simd_shuffle_down"},
		{"uint b = simd_shuffle_down(1u, 1);\natomic_fetch_add_explicit(count, b, memory_order_relaxed);", 2, "simd_shuffle_down"},
		{"for (ushort d = 4; d > 0; d /= 2) s += simd_shuffle_down(s, d);\nif (id == 2) out[0] = s;", 2, "simd_shuffle_down"},
		{"for (ushort d = 4; d > 0; d /= 2) { float v = simd_shuffle_down(s, d); s += id + d < 6 ? v : 0.0f; }\nif (id == 0) out[0] = s;", 0, ""},
		{"u = simd_shuffle_up(u, 1); u = simd_shuffle_rotate_up(u, 0);\nout[0] = u;", 0, ""}, // its own, of thread 0, and of others that of the one before
		{"u = simd_prefix_inclusive_sum(u);\nif (!last) out[0] = u;", 0, ""},
		{"u = simd_prefix_inclusive_sum(u);\nif (last) out[0] = u;", 2, "simd_shuffle_down"},
		{"u = simd_prefix_exclusive_sum(u);\nout[0] = u;", 0, ""},
		{"u = simd_sum(u);\nif (id == 0) out[0] = u;", 2, "simd_shuffle_down"},
		{"bool b = simd_any(u > 3);\nif (b) out[0] = s;", 2, "simd_shuffle_down"},
		{"uint b = uint(uint64_t(simd_ballot(u > 3)));\nout[0] = b;", 2, "simd_shuffle_down"},
		{"uint b = uint(uint64_t(simd_ballot(s > 3)));\nout[0] = b;", 0, ""},
		{"u = simd_broadcast_first(u);\nout[0] = u;", 0, ""},
		{"u = simd_broadcast(s, 7);", 0, ""},
		{"u = simd_broadcast(s, 7);\nout[0] = u;", 2, "simd_broadcast"},
		{"ushort l = simd_shuffle_down(ushort(0), 1);\nu = simd_shuffle(s, l);", 2, "simd_shuffle_down"},
		{"u = simd_shuffle_and_fill_down(s, 9.0f, 1);\nif (!last) out[0] = u;", 0, ""},
		{"u = simd_shuffle_and_fill_up(u, u, 1);\nout[0] = id > 0 ? u : 0.0f;", 0, ""},
		{"u = simd_shuffle_and_fill_up(s, u, 1, 8);\nout[0] = u;", 2, "simd_shuffle_and_fill_up"}, // thread 0 gets thread 7's
		{"u = simd_shuffle_and_fill_up(s, u, 1, 2);\nout[0] = u;", 2, "simd_shuffle_down"},        // thread 4 gets thread 5's u
		{"u = quad_shuffle_down(s, 1);\nif (!last) out[0] = u;", 0, ""},
		{"u = quad_shuffle_xor(s, 2);\nout[0] = u;", 2, "simd_shuffle_xor"},
		{"int b = 1000 / simd_shuffle_down(7, 1); b = b * b;\nif (!last) out[0] = b;", 0, ""},
		{"int b = simd_sum(simd_shuffle_down(1 << 28, 1));", 0, ""},
		{"int b = simd_sum(simd_shuffle_down(1 << 30, 1));", 0, ""},
		{"float v[2]; v[n] = u; v[n + 1] = v[n];\nfloat c = v[n + 1] + 1;\nif (!last) out[0] = c;", 0, ""},
		{"float v[2]; v[n] = u; v[n + 1] = v[n];\nfloat c = v[n + 1] + 1;\nout[0] = c;", 3, "simd_shuffle_down"},
		{"group[id] = u; float c = group[id];\nif (!last) out[0] = c;", 0, ""},
		{"group[id] = u; float c = group[id];\nout[0] = c;", 2, "simd_shuffle_down"},
		{"group[id] = u; device atomic_uint *a = count; threadgroup uint *g = (threadgroup uint *)group;\natomic_fetch_add_explicit(a, g[id], memory_order_relaxed);", 2, "simd_shuffle_down"},
		{"group[id] = u; threadgroup atomic_uint *a = (threadgroup atomic_uint *)group;\natomic_fetch_add_explicit(a + id, 1u, memory_order_relaxed);", 2, "simd_shuffle_down"},
		{"twos[id] = Two{half(u), half(1)}; Two c = twos[id];\nout[0] = c.b;", 0, ""},
		{"twos[id] = Two{half(u), half(1)}; Two c = twos[id];\nout[0] = c.a;", 2, "simd_shuffle_down"},
	} {
		for _, behaviour := range []model.Behaviour{{}, {SIMDWidth: 16}, {Order: "stages", Poison: true, Seed: 4}, {Order: "accesses", Seed: 1}, {Order: "reverse", Poison: true}} {
			for _, engine := range []sim.Engine{sim.Auto, sim.Adversarial} {
				found := inactive(t, sim.New(sim.Options{Engine: engine, Behaviour: behaviour}), head+c.body+"\n}")
				if c.line == 0 {
					require.Empty(t, found, c.body)
					continue
				}
				require.NotEmpty(t, found, c.body)
				f := found[0]
				require.True(t, len(found) == 1 || found[1].Kind == model.FindingOutOfBounds, "%s: %s", c.body, found) // of an undefined address
				require.Equal(t, model.FindingInactiveLane, f.Kind, "%s: %s", c.body, f)
				require.Equal(t, 6+c.line, f.Pos.Line, "%s: %s", c.body, f)
				require.Contains(t, f.Text, "depends on what "+c.by+" at "+f.Other.String()+" took from a lane that was not active", c.body)
				if shuffles := strings.Count(c.body, "shuffle") + strings.Count(c.body, "broadcast("); shuffles == 0 {
					require.Equal(t, 6, f.Other.Line, "%s: %s", c.body, f)
				}
			}
		}
	}
}

// inactive returns what is found when six threads run the kernel k.
func inactive(t *testing.T, d *sim.Device, source string) model.Findings {
	t.Helper()
	p := pipeline(t, d, source, "k")
	e, cb := encoder(t, d)
	require.NoError(t, e.SetComputePipelineState(p))
	require.NoError(t, e.SetBuffer(buffer(t, d, make([]byte, 128)), 0, 0))
	require.NoError(t, e.SetBuffer(buffer(t, d, make([]byte, 4)), 0, 1))
	require.NoError(t, e.DispatchThreads(line(6), line(6)))
	var found model.Findings
	if err := finish(t, e, cb); err != nil {
		require.ErrorAs(t, err, &found, source)
	}
	return found
}
