package msl_test

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/internal/msl/token"
	"gamma/metal/msl"
	"gamma/metal/msl/ir"
)

const specialised = `#include <metal_stdlib>
using namespace metal;
constant int N [[function_constant(0)]];
constant bool flag [[function_constant(7)]];
constant half h [[function_constant(2)]];
kernel void first(device float *x [[buffer(3)]], constant uint2 &size [[buffer(1)]], threadgroup half4 *tmp [[threadgroup(0)]],
                  const device int *opt [[buffer(4), function_constant(flag)]], uint i [[thread_position_in_grid]]) {
    tmp[i] = half4(h);
    x[i] = N + size.x + tmp[i].x;
}
kernel void second(device float *x, uint i [[thread_position_in_grid]]) { x[i] = 1; }
`

func TestFunctionsAreDescribed(t *testing.T) {
	lib, err := msl.Compile(specialised, msl.Options{})
	require.NoError(t, err)
	fs := lib.Functions()
	require.Len(t, fs, 2)
	require.Equal(t, "first", fs[0].Name)
	require.Equal(t, "program_source:6:13", fs[0].Pos.String())
	require.Equal(t, []metal.Argument{
		{Name: "x", Index: 3, ElementSize: 4, TypeName: "float"},
		{Name: "size", Index: 1, ReadOnly: true, ElementSize: 8, TypeName: "uint2"},
		{Name: "tmp", Index: 0, Threadgroup: true, ElementSize: 8, TypeName: "half4"},
		{Name: "opt", Index: 4, ReadOnly: true, Optional: true, ElementSize: 4, TypeName: "int"},
	}, fs[0].Args)
	require.Equal(t, []msl.FunctionConstant{{"N", 0, "int"}, {"h", 2, "half"}, {"flag", 7, "bool"}}, lib.Constants())
}

// TestVectorConstants: a vector is an array of the host's, of as many elements and of its type.
func TestVectorConstants(t *testing.T) {
	lib, err := msl.Compile("constant uint3 v [[function_constant(1)]];\nkernel void k(device uint *x) { *x = v.z; }", msl.Options{})
	require.NoError(t, err)
	require.Equal(t, []msl.FunctionConstant{{"v", 1, "uint3"}}, lib.Constants())
	_, err = lib.Kernel("k", metal.FunctionConstants{"v": [3]uint32{1, 2, 3}, 1: [3]uint32{1, 2, 3}})
	require.NoError(t, err)
	for _, x := range []any{uint32(1), [2]uint32{}, [4]uint32{}, [3]int32{}, [0]uint32{}, [1 << 20]uint32{}, nil, []uint32{1, 2, 3}} {
		_, err = lib.Kernel("k", metal.FunctionConstants{"v": x})
		require.ErrorContains(t, err, "function constant v (index 1) is of type uint3: give it a Go [3]uint32, not ")
	}
	_, err = lib.Kernel("k", metal.FunctionConstants{"v": [3]uint32{1, 2, 3}, 1: [3]uint32{1, 2, 4}})
	require.ErrorContains(t, err, "has two values")
	_, err = lib.Kernel("k", nil)
	require.ErrorContains(t, err, "function constant v (index 1) has no value")
}

func TestConstantsAreChecked(t *testing.T) {
	lib, err := msl.Compile(specialised, msl.Options{})
	require.NoError(t, err)
	good := metal.FunctionConstants{0: int32(3), "flag": true, "h": metal.Half(0x3c00)}
	k, err := lib.Kernel("first", good)
	require.NoError(t, err)
	require.False(t, k.Buffers[3].Optional)
	good["flag"] = false
	k, err = lib.Kernel("first", good)
	require.NoError(t, err)
	require.True(t, k.Buffers[3].Optional)
	_, err = lib.Kernel("second", nil)
	require.NoError(t, err, "what a kernel does not use need not be given")
	for _, c := range []struct {
		name string
		in   metal.FunctionConstants
		want string
	}{
		{"first", nil, "program_source:7:"},
		{"first", metal.FunctionConstants{"flag": true, "h": metal.Half(0)}, "function constant N (index 0) has no value"},
		{"first", metal.FunctionConstants{0: 3}, "function constant N (index 0) is of type int: give it a Go int32, not int"},
		{"first", metal.FunctionConstants{"h": float32(1)}, "give it a Go metal.Half, not float32"},
		{"first", metal.FunctionConstants{"h": nil}, "give it a Go metal.Half, not <nil>"},
		{"first", metal.FunctionConstants{5: int32(1)}, "no function constant has index 5"},
		{"first", metal.FunctionConstants{"M": int32(1)}, `no function constant is called "M"`},
		{"first", metal.FunctionConstants{1.5: int32(1)}, "not by 1.5 of type float64"},
		{"first", metal.FunctionConstants{0: int32(1), "N": int32(2)}, "has two values"},
		{"third", nil, `the library has no function "third": it has first, second`},
	} {
		_, err := lib.Kernel(c.name, c.in)
		require.ErrorContains(t, err, c.want, "%v", c.in)
	}
}

func TestErrorsCarryPlaces(t *testing.T) {
	for _, c := range []struct{ src, want string }{
		{"kernel void f(device float *x) { x[0] = y; }", "a.metal:1:41: error: "},
		{"#error no\n", "a.metal:1:"},
		{"kernel void f(device float *x) {\n  x[0] = 1\n}", "a.metal:"},
		{"struct A { virtual void f(); };", "not supported: "},
		{"#include \"missing.h\"\n", "a.metal:1:"},
	} {
		_, err := msl.Compile(c.src, msl.Options{FileName: "a.metal"})
		require.ErrorContains(t, err, c.want, c.src)
		require.IsType(t, token.List{}, err)
	}
	for _, o := range []msl.Options{{MathMode: 9}, {MathFunctions: 9}, {LanguageVersion: 77 << 16}} {
		_, err := msl.Compile("", o)
		require.ErrorContains(t, err, "program_source:1:1: error: the ")
	}
}

func TestOptionsReachTheCode(t *testing.T) {
	src := `#include <metal_stdlib>
#include "mine.h"
kernel void f(device float *x) { x[0] = metal::exp(x[0]) * FACTOR + OTHER; }`
	flags := map[ir.Op]ir.FP{}
	compile := func(o msl.Options) {
		t.Helper()
		o.Macros = map[string]string{"FACTOR": "3.5f"}
		o.Headers = map[string]string{"mine.h": "#define OTHER 2.0f\n"}
		lib, err := msl.Compile(src, o)
		require.NoError(t, err)
		k, err := lib.Kernel("f", nil)
		require.NoError(t, err)
		for _, n := range k.Body {
			if in, ok := n.(*ir.Instr); ok {
				flags[in.Op] = in.FP
			}
		}
	}
	compile(msl.Options{})
	require.Equal(t, ir.ContractOn, flags[ir.Mul])
	require.Equal(t, ir.ContractOn, flags[ir.Exp])
	compile(msl.Options{MathMode: metal.MathFast, MathFunctions: metal.FunctionsFast})
	all := ir.ContractFast | ir.Reassoc | ir.NoSignedZeros | ir.Reciprocal | ir.NoNaNs | ir.NoInfs | ir.FastFunctions
	require.Equal(t, all, flags[ir.Exp])
	require.Equal(t, all, flags[ir.Add])
	compile(msl.Options{MathMode: metal.MathRelaxed})
	require.Equal(t, ir.ContractFast|ir.Reassoc|ir.NoSignedZeros|ir.Reciprocal, flags[ir.Add])
}

func TestPragmasAndNamespacesReachTheCode(t *testing.T) {
	src := `#include <metal_stdlib>
kernel void f(device float *x) {
    #pragma METAL fp math_mode(safe)
    #pragma METAL fp contract(off)
    x[0] = x[1] + x[2];
    x[3] = metal::precise::exp(x[0]);
}
kernel void g(device float *x) { x[0] = x[1] + x[2]; x[3] = metal::fast::exp(x[0]); }`
	lib, err := msl.Compile(src, msl.Options{MathMode: metal.MathFast, MathFunctions: metal.FunctionsFast})
	require.NoError(t, err)
	fp := func(name string, op ir.Op) ir.FP {
		k, err := lib.Kernel(name, nil)
		require.NoError(t, err)
		for _, n := range k.Body {
			if in, ok := n.(*ir.Instr); ok && in.Op == op {
				return in.FP
			}
		}
		require.Fail(t, "no such operation", "%s in %s", op, k)
		return 0
	}
	require.Zero(t, fp("f", ir.Add)&^ir.FastFunctions)
	require.Zero(t, fp("f", ir.Exp)&ir.FastFunctions)
	require.NotZero(t, fp("g", ir.Add)&ir.Reassoc)
	require.NotZero(t, fp("g", ir.Exp)&ir.FastFunctions)
}

func TestLibrariesMayBeShared(t *testing.T) {
	text, err := os.ReadFile("testdata/idioms.metal")
	require.NoError(t, err)
	lib, err := msl.Compile(string(text), msl.Options{})
	require.NoError(t, err)
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for _, f := range lib.Functions() {
				if _, err := lib.Kernel(f.Name, nil); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	wg.Wait()
}

func TestHostileSourcesAreAnswered(t *testing.T) {
	for name, src := range map[string]string{
		"empty":     "",
		"zeros":     string(make([]byte, 1000)),
		"brackets":  strings.Repeat("(", 100000),
		"blocks":    "kernel void f() {" + strings.Repeat("{", 100000),
		"not UTF-8": "kernel void \xff\xfe() {}",
		"calls":     "struct S { int a[1<<20]; }; void f(S s) {} kernel void k() { S s; f(s); f(s); }",
		"big":       "kernel void k(device int *o) { int a[100000000]; for (int i = 0; i < 9; i++) a[i] = i; o[0] = a[3]; }",
		"doubling": "void f0(thread int &x) { x *= 3; }\n" + func() string {
			var s strings.Builder
			for i := range 40 {
				n := string(rune('0'+(i+1)/10)) + string(rune('0'+(i+1)%10))
				p := string(rune('0'+i/10)) + string(rune('0'+i%10))
				if i == 0 {
					p = "0"
				}
				s.WriteString("void f" + n + "(thread int &x) { f" + p + "(x); f" + p + "(x); }\n")
			}
			return s.String()
		}() + "kernel void k(device int *o) { int x = 1; f40(x); o[0] = x; }",
		"templates": "template <int N> struct F { static constexpr int v = F<N - 1>::v + F<N - 2>::v; }; kernel void k(device int *o) { o[0] = F<500>::v; }",
		"long else": "kernel void k(device int *o, uint i [[thread_position_in_grid]]) {" + strings.Repeat("if (i == 3) o[0] = 1; else ", 200) + "o[1] = 2; }",
		"many ifs":  "int f(int i) {" + strings.Repeat("if (i == 3) return 4; i++;", 3000) + "return i; } kernel void k(device int *o) { o[0] = f(o[1]); }",
	} {
		t.Run(name, func(t *testing.T) {
			lib, err := msl.Compile(src, msl.Options{MaxInstances: 4096, MaxInstructions: 200_000})
			if err != nil {
				require.NotContains(t, err.Error(), "a fault of")
				return
			}
			for _, f := range lib.Functions() {
				if _, err := lib.Kernel(f.Name, nil); err != nil {
					require.NotContains(t, err.Error(), "a fault of")
				}
			}
		})
	}
}

// compileAll parses, checks and lowers all kernels.
func compileAll(tb testing.TB, src string) {
	lib, err := msl.Compile(src, msl.Options{})
	require.NoError(tb, err)
	for _, f := range lib.Functions() {
		_, err := lib.Kernel(f.Name, nil)
		require.NoError(tb, err)
	}
}

func BenchmarkCompile(b *testing.B) {
	b.Run("sum.metal", func(b *testing.B) {
		text, err := os.ReadFile("../../shaders/sum.metal")
		if err != nil {
			b.Skipf("no shaders here: %v", err)
		}
		for b.Loop() {
			compileAll(b, string(text))
		}
	})
}

func FuzzCompile(f *testing.F) {
	for _, text := range shaders(f) {
		f.Add(text, uint8(0))
	}
	for _, dir := range []string{"check", "syntax", "preprocess"} {
		files, err := os.ReadDir(dir + "/testdata")
		if err != nil {
			continue
		}
		for _, e := range files {
			if text, err := os.ReadFile(dir + "/testdata/" + e.Name()); err == nil && strings.HasSuffix(e.Name(), ".metal") {
				f.Add(string(text), uint8(1))
			}
		}
	}
	f.Add(specialised, uint8(2))
	f.Fuzz(func(t *testing.T, src string, mode uint8) {
		lib, err := msl.Compile(src, msl.Options{MathMode: metal.MathMode(mode % 3), MathFunctions: metal.MathFunctions(mode / 3 % 2), MaxInstances: 4096, MaxInstructions: 200_000})
		if err != nil {
			require.NotContains(t, err.Error(), "a fault of")
			return
		}
		for _, fn := range lib.Functions() {
			if _, err := lib.Kernel(fn.Name, nil); err != nil {
				require.NotContains(t, err.Error(), "a fault of")
			}
		}
	})
}

// TestDoublingTypes lowers types that hold one another twice: the time must not grow with the paths through them.
func TestDoublingTypes(t *testing.T) {
	for word, first := range map[string]string{"struct": "", "union": "uint a;"} {
		src := word + " S0 { " + first + " };\n"
		for i := range 14 {
			src += fmt.Sprintf("%s S%d { S%d a; S%d b; };\n", word, i+1, i, i)
		}
		src += "kernel void k(device uint *o) { S14 s = {}; S14 q = s; S14 r; r = q; r = s; o[0] = sizeof(r); }"
		begin := time.Now()
		lib, err := msl.Compile(src, msl.Options{})
		require.NoError(t, err)
		_, err = lib.Kernel("k", nil)
		require.NoError(t, err)
		require.Less(t, time.Since(begin), time.Second, word)
	}
}

// TestRecursionIsOfItsKernel: the kernels that reach a recursion, by whatever way, cannot be had; the others can.
func TestRecursionIsOfItsKernel(t *testing.T) {
	lib, err := msl.Compile(`
uint f(uint n) { return n ? f(n - 1) * n : 1; }
uint odd(uint n);
uint even(uint n) { return n ? odd(n - 1) : 1; }
uint odd(uint n) { return n ? even(n - 1) + 1 : 0; }
uint fine(uint n) { return n + 1; }
uint via(uint n) { return fine(n) + odd(n); }
kernel void first(device uint *o) { o[0] = fine(2); }
kernel void bad(device uint *o) { o[0] = f(3); }
kernel void good(device uint *o) { o[0] = fine(2); }
kernel void mutual(device uint *o) { o[0] = fine(1) + even(3); }
kernel void mutual2(device uint *o) { o[0] = odd(3); }
kernel void deep(device uint *o) { o[0] = via(3); }
kernel void last(device uint *o) { o[0] = fine(fine(2)); }`, msl.Options{FileName: "a.metal"})
	require.NoError(t, err)
	require.Len(t, lib.Functions(), 7)
	for _, name := range []string{"first", "good", "last"} {
		_, err := lib.Kernel(name, nil)
		require.NoError(t, err)
	}
	for name, want := range map[string]string{
		"bad":     "a.metal:2:29: error: not supported: recursion: f calls f; write a loop, or call it last, as in return f(…)",
		"mutual":  "a.metal:5:31: error: not supported: recursion: even calls odd calls even",
		"mutual2": "a.metal:4:32: error: not supported: recursion: odd calls even calls odd",
		"deep":    "a.metal:4:32: error: not supported: recursion: odd calls even calls odd",
	} {
		k, err := lib.Kernel(name, nil)
		require.Nil(t, k)
		require.IsType(t, token.List{}, err, name)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "recursion: ")
	}
}
