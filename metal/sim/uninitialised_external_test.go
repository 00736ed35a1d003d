package sim_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/sim"
	"gamma/model"
)

// TestUninitialised: what was never written may be copied and computed with; where that reaches a result, a branch or an address it is found, with
// the line of the use, and that where it was read and from which variable; and a variable that a loop's body declares has no value again in every
// turn.
func TestUninitialised(t *testing.T) {
	const head = `#include <metal_stdlib>
using namespace metal;
struct Maybe { float x; bool has; };
struct Three { float a; half2 b; uchar c; };
union Word { uint u; half h; };
static Maybe none() { Maybe m; m.has = false; return m; }
kernel void k(device float *outs [[buffer(0)]], device Three *all [[buffer(1)]], uint id [[thread_position_in_grid]]) {
  threadgroup Three group[16]; threadgroup Three *shared = group + id; device float *out = outs + 2 * id; device Three *threes = all + id;
  int n = int(id >> 4); // 0
  float y = 0;
`
	for _, c := range []struct {
		body string
		line int // of the use in body, counted from 1; the line after body stores y; 0: there is none
		read int // the line where what was never written was read
	}{
		{"Maybe m[2]; m[n].has = false; Maybe c = m[n];\nif (c.has) y = c.x;", 0, 0},
		{"Maybe m[2]; m[n].has = true; Maybe c = m[n];\nif (c.has)\ny = c.x + 1;", 4, 1},
		{"Maybe m[2]; m[n].has = false; Maybe c = m[n];\nif (c.has) {\ny = c.x + 1; out[1] = y; }", 0, 0},
		{"Maybe m[2]; m[n].has = false; Maybe c = m[n];\nif (c.has) y = c.x + 1;", 0, 0},
		{"Maybe m[2]; m[n].has = false; Maybe c = m[n];\nif (c.has && c.x > 1) y = 1;", 0, 0},
		{"Maybe m[2]; m[n].has = false; Maybe c = m[n];\ny = c.has ? c.x * 2 : 3;", 0, 0},
		{"Maybe m[2]; m[n].has = true; Maybe c = m[n];\ny = c.has ? c.x * 2 : 3;", 3, 1},
		{"Maybe c; c.has = n > 0; if (n > 0) c.x = 1;\nif (c.has) y = c.x + 1;", 0, 0},
		{"Maybe c = none();\nif (c.has) y = c.x + 1;", 0, 0},
		{"threadgroup Maybe m[16]; m[id].has = false; Maybe c; c = m[id];\nif (c.has) y = c.x + 1;", 0, 0},
		{"Maybe m[2]; m[n] = none(); m[n + 1] = m[n]; m[n + 1] = m[n];\nif (m[n + 1].has) y = m[n + 1].x;", 0, 0},
		{"Three t[2]; t[n].a = 1; t[n + 1] = t[n]; shared[n] = t[n + 1]; Three c = shared[n];\ny = c.a;", 0, 0},
		{"Three t[2]; t[n].a = 1; t[n + 1] = t[n]; shared[n] = t[n + 1]; Three c = shared[n];\ny = c.a;\ny += c.b.x;", 4, 1},
		{"Three t[2]; t[n].b.y = 1; t[n + 1] = t[n];\ny = t[n + 1].b.y;\ny += t[n + 1].b.x;", 4, 1},
		{"Three t[2]; t[n].c = 1;\nthrees[n] = t[n];", 2, 2},
		{"Three t[2]; t[n].c = 1;\nthrees[n].c = t[n].c;", 0, 0},
		{"Word w[2]; w[n].h = 1; w[n + 1] = w[n];\ny = w[n + 1].h;", 0, 0},
		{"Word w[2]; w[n].h = 1; w[n + 1] = w[n];\ny = w[n + 1].u;", 3, 1},
		{"float4 v[2]; v[n].x = 1; float4 c = v[n];\ny = c.x;", 0, 0},
		{"float4 v[2]; v[n].x = 1; float4 c = v[n];\ny = dot(c, c);", 3, 1},
		{"uint i[2]; uint j = i[n];\nout[j] = 1;", 2, 1},
		{"for (int i = 0; i < 2; i++) {\nfloat a[2]; if (i == 0) a[n] = 1; float c = a[n];\nif (i == 0) out[1] = c;\n}", 0, 0},
		{"for (int i = 0; i < 2; i++) {\nfloat a[2]; if (i == 0) a[n] = 1; float c = a[n];\ny += c;\n}", 5, 2},
		{"float a[2]; for (int i = 0; i < 2; i++) {\nif (i == 0) a[n] = 1; float c = a[n];\ny += c;\n}", 0, 0},
		{"for (int i = 0; i < 2; i++) {\nThree t; thread Three *p = &t; if (i == 0) *p = Three{1, 2, 3};\ny += p[n].b.y;\n}", 5, 2},
		{"threadgroup float g[16]; float c = g[id] * 2 + 1;\nif (n > 0) y = c;", 0, 0},
		{"threadgroup float g[16]; float c = g[id] * 2 + 1;\nif (c > 4) y = 1;", 3, 1}, // a choice
		{"threadgroup float g[16]; float c = g[id] * 2 + 1;\nif (c > 4) out[1] = 1;", 2, 1},
		{"threadgroup float g[16]; float c = g[id] * 2 + 1; g[id] = c; threadgroup_barrier(mem_flags::mem_threadgroup);\ny = g[id];", 3, 1},
		{"threadgroup float g[16]; float c = simd_sum(g[id]);\ny = c;", 3, 1},
		{"threadgroup uint g[16]; if (id == 20) g[0] = 1; int q = 1000 / int(g[id]);\nif (n > 0) y = q;", 0, 0},
		{"threadgroup uint g[16]; if (id == 20) g[0] = 1; int q = 1000 / int(g[id]);\ny = q;", 3, 1},
		{"threadgroup uint g[16]; uint q = g[id] & 1;\nout[q] = 1;", 2, 1},
		{"threadgroup uint g[16]; uint q = g[id] & 1;\nfor (uint i = 0; i < q; i++) out[1] = 3;", 2, 1},
	} {
		for _, behaviour := range []model.Behaviour{{}, {SIMDWidth: 16}, {Order: "stages"}, {Order: "accesses", Seed: 1}, {Order: "reverse", Poison: true}} {
			for _, threads := range []int{1, 16} { // 16 are a team
				uninitialised(t, sim.New(sim.Options{Behaviour: behaviour}), head, c.body, c.line, c.read, threads)
			}
		}
	}
}

func uninitialised(t *testing.T, d *sim.Device, head, body string, at, read, threads int) {
	t.Helper()
	p := pipeline(t, d, head+body+"\n  out[0] = y;\n}", "k")
	e, cb := encoder(t, d)
	require.NoError(t, e.SetComputePipelineState(p))
	require.NoError(t, e.SetBuffer(buffer(t, d, make([]byte, 128)), 0, 0))
	require.NoError(t, e.SetBuffer(buffer(t, d, make([]byte, 256)), 0, 1))
	require.NoError(t, e.DispatchThreads(line(threads), line(threads)))
	err := finish(t, e, cb)
	if at == 0 {
		require.NoError(t, err, body)
		return
	}
	var found model.Findings
	require.ErrorAs(t, err, &found, body)
	require.Equal(t, model.FindingUninitialised, found[0].Kind, "%s: %s", body, found[0])
	require.Equal(t, 10+at, found[0].Pos.Line, "%s: %s", body, found[0])
	require.Equal(t, 10+read, found[0].Other.Line, "%s: %s", body, found[0])
	require.Regexp(t, "(was never written when it was read|variable declared) at "+found[0].Other.String(), found[0].Text, body)
	require.NotEmpty(t, found[0].Buffer, body)
}
