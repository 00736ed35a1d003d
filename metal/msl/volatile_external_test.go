package msl_test

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/internal/reference"
	"gamma/metal/msl"
	"gamma/metal/msl/ir"
	"gamma/metal/msl/rewrite"
	"gamma/model"
)

// TestVolatileStopsRewriting takes a two-sum apart in the ways in which a source can say volatile: its error word stays, which
// fast mode takes away from the same sum without it.
func TestVolatileStopsRewriting(t *testing.T) {
	const head = `#include <metal_stdlib>
using namespace metal;
struct S { volatile float s; float t; };
struct Box { float s; };
static float through(volatile float s) { return s; }
static float by(volatile thread float &s) { return s; }
static float at(const volatile thread float *s) { return *s; }
constant volatile float zero = 0;
kernel void k(device float *o [[buffer(0)]], device const float *in [[buffer(1)]]) {
  float a = in[0], b = in[1];
`
	for name, c := range map[string]struct {
		body string
		lost bool
	}{
		"without":               {"float s = a + b; o[0] = b - (s - a);", true},
		"local":                 {"volatile float s = a + b; o[0] = b - (s - a);", false},
		"assigned":              {"volatile float s; s = a + b; o[0] = b - (s - a);", false},
		"auto":                  {"volatile auto s = a + b; o[0] = b - (s - a);", false},
		"vector":                {"volatile float2 s = float2(a + b); o[0] = b - (s.x - a);", false},
		"array":                 {"volatile float s[2] = {a + b, a}; o[0] = b - (s[0] - s[1]);", false},
		"member":                {"S s = {a + b, 0}; o[0] = b - (s.s - a);", false},
		"object":                {"volatile Box s = {a + b}; o[0] = b - (s.s - a);", false},
		"parameter":             {"o[0] = b - (through(a + b) - a);", false},
		"reference":             {"float s = a + b; volatile thread float &r = s; o[0] = b - (r - a);", false},
		"auto reference":        {"volatile float s = a + b; auto &r = s; o[0] = b - (r - a);", false},
		"reference parameter":   {"float s = a + b; o[0] = b - (by(s) - a);", false},
		"pointer parameter":     {"float s = a + b; o[0] = b - (at(&s) - a);", false},
		"pointer":               {"float s = a + b; o[0] = b - (*(volatile thread float *)&s - a);", false},
		"device":                {"volatile device float *p = o + 1; *p = a + b; o[0] = b - (*p - a);", false},
		"range":                 {"volatile float s[1] = {a + b}; for (auto &r : s) o[0] = b - (r - a);", false},
		"range value":           {"float s[1] = {a + b}; for (volatile float r : s) o[0] = b - (r - a);", false},
		"added constant":        {"float s = (a + zero) + b; o[0] = b - (s - (a + zero));", false},
		"conditional":           {"volatile float s = a + b, r = s; o[0] = b - ((a > 0 ? s : r) - a);", false},
		"value of the compound": {"volatile float s = a; o[0] = b - ((s += b) - a);", false},
	} {
		lib, err := msl.Compile(head+c.body+"}", msl.Options{MathMode: metal.MathFast})
		require.NoError(t, err, name)
		k, err := lib.Kernel("k", nil)
		require.NoError(t, err, name)
		ir.Optimise(k)
		b, err := model.ParseBehaviour("rne ftz=off contract=fast reassoc nsz recip")
		require.NoError(t, err)
		k, err = rewrite.Apply(k, b)
		require.NoError(t, err, name)
		require.NoError(t, ir.Verify(k), name)
		in := binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, math.Float32bits(1e10)), math.Float32bits(1e-10))
		out := make([]byte, 8)
		one := model.Size3{X: 1, Y: 1, Z: 1}
		require.NoError(t, reference.Run(k, reference.Launch{Groups: one, Threads: one, Args: [][]byte{out, in}}), name)
		got := math.Float32frombits(binary.LittleEndian.Uint32(out))
		if name == "added constant" {
			// The sum's parts are rearranged, and its two reads of zero are two terms, which are not joined.
			require.Equal(t, 2, count(k, ir.Load, ir.F32)-2, "%s", k)
			continue
		}
		require.Equal(t, c.lost, got == 0, "%s: %v\n%s", name, got, k)
	}
}

// count counts the instructions op of type t.
func count(k *ir.Kernel, op ir.Op, t ir.Type) int {
	n := 0
	var walk func(b ir.Block)
	walk = func(b ir.Block) {
		for _, x := range b {
			switch x := x.(type) {
			case *ir.Instr:
				if x.Op == op && x.Type == t {
					n++
				}
			case *ir.If:
				walk(x.Then)
				walk(x.Else)
			case *ir.Loop:
				walk(x.Body)
			case *ir.Scope:
				walk(x.Body)
			}
		}
	}
	walk(k.Body)
	return n
}

// TestVolatileAccessesStay counts the loads and stores that are left of what a source writes.
func TestVolatileAccessesStay(t *testing.T) {
	for body, want := range map[string][2]int{
		"volatile int v = 1; v; v; (void)v;":                                {3, 1},
		"volatile int v = 1; v = 2; v = 2;":                                 {0, 3},
		"volatile int v = 1; v++; ++v; v += 3;":                             {3, 4},
		"int v = 1; v; v; v = 2; v++;":                                      {0, 0},
		"const volatile int v = 1; o[0] = v + v;":                           {2, 2},
		"const int v = 1; o[0] = v + v;":                                    {0, 1},
		"volatile device int *p = o; *p; p[1]; *p = *p + *p;":               {4, 1},
		"volatile constant int *p = c; o[0] = *p + *p + p[0] + *p;":         {4, 1},
		"constant int *p = c; o[0] = *p + *p + p[0] + *p;":                  {1, 1},
		"o[0] = *(volatile constant int *)c + *(volatile constant int *)c;": {2, 1},
		"o[0] = g + g;": {2, 1},
		"volatile int2 v = int2(1); v.x; o[0] = v.y; v.x = 3;":               {2, 4},
		"volatile int v = 1; if (v) {} while (v > 5) {} v ? 1 : 2; (v, v);":  {5, 1},
		"volatile thread int *p; int x = 3; p = &x; *p; *p = 5; o[0] = *p;":  {2, 3},
		"volatile int a[3] = {1, 2, 3}; a[1]; a[o[0]] = a[2];":               {3, 4},
		"struct { volatile int a; int b; } s; s.a = 1; s.a; s.b = 2; s.a++;": {2, 3},
		"volatile int v = 1; int r = v; volatile thread int &q = r; q; q;":   {3, 2},
	} {
		lib, err := msl.Compile(`#include <metal_stdlib>
using namespace metal;
constant volatile int g = 4;
kernel void k(device int *o [[buffer(0)]], constant int *c [[buffer(1)]]) { `+body+"}", msl.Options{MathMode: metal.MathFast})
		require.NoError(t, err, body)
		k, err := lib.Kernel("k", nil)
		require.NoError(t, err, body)
		ir.Optimise(k)
		require.Equal(t, want, [2]int{count(k, ir.Load, ir.I32), count(k, ir.Store, ir.I32)}, "%s\n%s", body, k)
	}
}

// TestVolatileIsNoConstant: what a volatile object holds is not known when compiling.
func TestVolatileIsNoConstant(t *testing.T) {
	for src, want := range map[string]string{
		"constant volatile int g = 4; static_assert(g == 4);":     "g is volatile, so that its value is not a constant",
		"constant volatile int g = 4; constant int h = g;":        "the initialiser of h is not known when compiling",
		"void f() { const volatile int n = 4; thread int a[n]; }": "n",
	} {
		_, err := msl.Compile(src, msl.Options{})
		require.ErrorContains(t, err, want, src)
	}
}
