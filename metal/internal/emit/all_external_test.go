package emit_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/emit"
	"gamma/metal/msl"
	"gamma/metal/msl/ir"
	"gamma/model"
	"gamma/shaders"
)

// Every kernel of package shaders and of the front end's testdata is printed in both dialects, or refused by name; what is
// printed as CUDA C++ compiles.
func TestEveryShaderIsPrinted(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../../shaders/*.metal", "../../msl/testdata/*.metal"} {
		fs, err := filepath.Glob(pattern)
		require.NoError(t, err)
		files = append(files, fs...)
	}
	var s strings.Builder
	s.WriteString("#include \"cuda_shim.h\"\n")
	printed := map[emit.Dialect]int{}
	for _, f := range files {
		text, err := os.ReadFile(f)
		require.NoError(t, err)
		o := msl.Options{FileName: filepath.Base(f), Headers: shaders.ModularHeaders()}
		for n, h := range shaders.Headers() {
			o.Headers[n] = h
		}
		l, err := msl.Compile(string(text), o)
		require.NoError(t, err)
		for _, info := range l.Functions() {
			k, err := l.Kernel(info.Name, nil)
			if err != nil {
				continue // it wants function constants
			}
			for _, d := range []emit.Dialect{emit.CUDA, emit.OpenCL} {
				p, err := emit.Print(k, emit.Options{Dialect: d})
				if err != nil {
					require.Contains(t, err.Error(), "refused")
					require.Regexp(t, `\.(metal|h):\d+:\d+:`, err.Error())
					t.Log(err)
					continue
				}
				printed[d]++
				if d == emit.CUDA {
					text := strings.Replace(p.Text, "extern __shared__ __align__(16) char gm_dynamic[];", "static char gm_dynamic[1 << 16];", 1)
					fmt.Fprintf(&s, "namespace k%d {\n%s}\n", printed[d], strings.Replace(text, "extern \"C\" ", "", 1))
				}
			}
		}
	}
	t.Logf("%d kernels as CUDA C++, %d as OpenCL C", printed[emit.CUDA], printed[emit.OpenCL])
	require.Greater(t, printed[emit.CUDA], 80)
	require.Greater(t, printed[emit.OpenCL], 60)
	gcc, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("g++ is not installed: the printed CUDA C++ is not compiled here")
	}
	c := exec.Command(gcc, "-std=c++17", "-fsyntax-only", "-w", "-I", "testdata", "-x", "c++", "-")
	c.Stdin = strings.NewReader(s.String())
	out, err := c.CombinedOutput()
	require.NoError(t, err, "%.3000s", out)
}

const atomicSource = `
#include <metal_stdlib>
using namespace metal;
struct both { thread float* p; uint n; };
kernel void atomics(device atomic_uint* u [[buffer(0)]], device atomic_int* i [[buffer(1)]], device atomic_float* f [[buffer(2)]],
                    device atomic_ulong* w [[buffer(3)]], device uint* out [[buffer(4)]], uint t [[thread_position_in_grid]])
{
    const auto r = memory_order_relaxed;
    threadgroup atomic_uint shared;
    threadgroup float cells[32];
    uint local = t % 8;
    if (local == 0) atomic_store_explicit(&shared, 5u, r);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    atomic_fetch_add_explicit(&shared, t % 8, r);
    cells[local] = float(t);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (local == 0) out[t / 8] = atomic_load_explicit(&shared, r) + uint(cells[7]);
    atomic_fetch_add_explicit(&u[0], t, r);
    atomic_fetch_sub_explicit(&u[1], t, r);
    atomic_fetch_max_explicit(&u[2], t * 7u, r);
    atomic_fetch_or_explicit(&u[3], 1u << (t % 32), r);
    atomic_fetch_xor_explicit(&u[4], t * 3u, r);
    atomic_fetch_and_explicit(&u[5], ~(1u << (t % 8)), r);
    atomic_fetch_min_explicit(&i[0], -int(t), r);
    atomic_fetch_max_explicit(&i[1], -int(t), r);
    atomic_fetch_add_explicit(&i[2], -int(t), r);
    atomic_fetch_add_explicit(&f[0], float(t) * 0.5f, r);
    atomic_fetch_sub_explicit(&f[1], float(t), r);
    atomic_max_explicit(&w[0], ulong(t) << 40, r);
    uint seen = atomic_load_explicit(&u[6], r);
    while (!atomic_compare_exchange_weak_explicit(&u[6], &seen, seen * 2u + 1u, r, r)) {}
}
kernel void vectors(device float4* a [[buffer(0)]], device float2* b [[buffer(1)]], device ulong2* c [[buffer(2)]], uint t [[thread_position_in_grid]])
{
    float4 v = a[t];
    float2 u = b[t];
    a[t] = v.wzyx + float4(u, u);
    b[t] = v.xy * u.yx;
    c[t] = c[t].yx + ulong2(t, 1);
}
struct loose { float a, b, c, d; uint e, f; };
kernel void rows(device const loose* x [[buffer(0)]], device loose* z [[buffer(1)]], device const float4* y [[buffer(2)]], uint t [[thread_position_in_grid]])
{
    float a = y[t].x;
    float b = y[t].y;
    float c = y[t].z;
    loose v = x[2 * t];
    loose w = x[2 * t + 1];
    z[2 * t] = {v.d, v.c, w.b + c, v.a * b, w.f, v.e};
    z[2 * t + 1] = {a, w.b, v.c, w.d, v.f, w.e};
}
struct eight { float a, b, c, d, e, f, g, h; };
kernel void eights(device const eight* x [[buffer(0)]], device eight* z [[buffer(1)]], uint t [[thread_position_in_grid]])
{
    eight v = x[t];
    z[t] = {v.h, v.g, v.f + v.a, v.e, v.d, v.c, v.b, v.a};
}
kernel void objects(device float* a [[buffer(0)]], device float* b [[buffer(1)]], uint t [[thread_position_in_grid]])
{
    float own[4] = {1, 2, 3, float(t)};
    thread float* p = own + t % 4;
    device float* q = t % 2 ? a : b;
    for (int i = 0; i < 3; i++) { p[0] += q[t + i]; p = p == own ? own + 3 : p - 1; }
    a[t + 40] = own[0] + own[1] * 10 + own[2] * 100 + own[3] * 1000;
    b[t + 40] = half(own[t % 4]) * 1.5h;
}
`

func atomicLaunches(t *testing.T) []*launch {
	t.Helper()
	return []*launch{
		{"atomics", source(t, atomicSource, "atomics"), size(32, 1, 1), size(8, 1, 1), [][]byte{
			words(1, 2, 3, 4, 5, 255, 0), words(0, 1<<31, 3), words(0, 0), make([]byte, 8), make([]byte, 16),
		}},
		{"vectors", source(t, atomicSource, "vectors"), size(20, 1, 1), size(4, 1, 1), [][]byte{floats(80), floats(40), floats(80)}},
		{"rows", source(t, atomicSource, "rows"), size(20, 1, 1), size(4, 1, 1), [][]byte{floats(240), make([]byte, 960), floats(80)}},
		{"eights", source(t, atomicSource, "eights"), size(20, 1, 1), size(4, 1, 1), [][]byte{floats(160), make([]byte, 640)}},
		{"objects", source(t, atomicSource, "objects"), size(32, 1, 1), size(8, 1, 1), [][]byte{floats(80), floats(80)}},
	}
}

func TestAtomicsAndObjects(t *testing.T) {
	ls := atomicLaunches(t)
	compare(t, ls, onShim(t, ls, model.Behaviour{}, false), model.Behaviour{})
	compare(t, ls, onShim(t, ls, model.Behaviour{}, true), model.Behaviour{})
	compare(t, ls, onOpenCL(t, ls, model.Behaviour{}), model.Behaviour{})
}

// Neighbouring words of an aligned vector are loaded and stored at once, and those of a structure where its buffer begins at a
// multiple of 16: 8 words do, 6 may not, since every other row is not aligned then.
func TestVectorsAreWhole(t *testing.T) {
	p, err := emit.Print(source(t, atomicSource, "vectors"), emit.Options{})
	require.NoError(t, err)
	for _, want := range []string{"const float4 ", "const float2 ", "= make_float4(", "= make_float2(", "= make_ulonglong2("} {
		require.Contains(t, p.Text, want)
	}
	require.NotContains(t, p.Text, "& 15")
	p, err = emit.Print(source(t, atomicSource, "eights"), emit.Options{})
	require.NoError(t, err)
	for what, n := range map[string]int{"if (((u64)x & 15) == 0)": 2, "= *(const float4 *)": 2, "if (((u64)z & 15) == 0)": 2, "*(float4 *)": 2} {
		require.Equal(t, n, strings.Count(p.Text, what), what)
	}
	p, err = emit.Print(source(t, atomicSource, "rows"), emit.Options{})
	require.NoError(t, err)
	require.NotContains(t, p.Text, "const float4 *)")
	require.Contains(t, p.Text, "const float2 *)(y + ")
}

func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		text, want string
		o          emit.Options
	}{
		{"kernel \"k\"\nplace \"a.metal\":3:4\nbuffer %1 \"a\" index=0 device elem=4 align=4 type=\"\"\nbuffer %2 \"b\" index=1 device elem=4 align=4 type=\"\"\n{\n  %3:bool = eq ptr %1, %2 @0\n}\n", "different objects", emit.Options{}},
		{"kernel \"k\"\nbuffer %1 \"a\" index=0 device elem=4 align=4 type=\"\"\n{\n  %2:u64 = bitcast from ptr %1\n}\n", "addresses on the device", emit.Options{}},
		{"kernel \"k\"\nbuffer %1 \"a\" index=0 device elem=4 align=4 type=\"\"\n{\n  %2:u64 = simd_active_threads_mask\n}\n", "simd_active_threads_mask is refused", emit.Options{Dialect: emit.OpenCL}},
		{"kernel \"k\"\nbuffer %1 \"a\" index=0 device elem=4 align=4 type=\"\"\nbuffer %2 \"b\" index=1 threadgroup elem=4 align=4 type=\"\"\n{\n  %3:bool = const 1\n  %4:ptr = select %3, %1, %2\n  %5:u32 = load [%4]\n}\n", "several address spaces", emit.Options{Dialect: emit.OpenCL}},
		{"kernel \"k\"\n{\n}\n", "16 lanes", emit.Options{Behaviour: model.Behaviour{SIMDWidth: 16}}},
		{"kernel \"k\"\n{\n}\n", "does not round", emit.Options{Behaviour: model.Behaviour{Rounding: model.NearestAway}}},
		{"kernel \"k\"\n{\n}\n", "no dialect", emit.Options{Dialect: 7}},
	} {
		k, err := ir.Parse(c.text)
		require.NoError(t, err, c.text)
		_, err = emit.Print(k, c.o)
		require.ErrorContains(t, err, c.want)
	}
	_, err := emit.Print(nil, emit.Options{})
	require.Error(t, err)
}
