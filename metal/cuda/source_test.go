package cuda

import (
	_ "embed"
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"gamma/metal"
	"gamma/metal/sim"
	"gamma/props/device"
	"gamma/props/judge"
)

//go:embed testdata/user.cu
var userText string

// TestSourceRead: the kernels of a .cu file are found with their parameters and their dynamic shared memory.
func TestSourceRead(t *testing.T) {
	d, err := fakeDevice(newFake(), Options{})
	require.NoError(t, err)
	defer d.Release()
	l, err := d.NewLibrary(userText, metal.CompileOptions{FileName: "user.cu"})
	require.NoError(t, err)
	require.Equal(t, []string{"sum", "sum_drops", "dot", "softmax", "softmax_naive", "fast_exp", "matmul", "count", "unwritten", "wild"}, l.FunctionNames())
	arguments := func(l metal.Library, name string) string {
		f, err := l.NewFunction(name, nil)
		require.NoError(t, err)
		var list []string
		for _, a := range f.Arguments() {
			s := a.TypeName + " " + a.Name
			if a.ReadOnly {
				s += " read"
			}
			list = append(list, s)
		}
		return strings.Join(list, ", ")
	}
	require.Equal(t, "const float* x read, float* out, uint n read, threadgroup float* part", arguments(l, "sum"))
	require.Equal(t, "const float* x read, const float* y read, float* out, ulong n read", arguments(l, "dot"))
	require.Equal(t, "const float* x read, float* dst, int n read, threadgroup float* part", arguments(l, "softmax"))
	require.Equal(t, "const uchar* x read, uint* bins, int n read", arguments(l, "count"))

	l, err = d.NewLibrary(`#include <cstdint>
/* __global__ void no(int *x) {} */ // __global__ void no(int *x) {}
#define KERNEL __global__ void \
    no(int *x) {}
const char *text = "__global__ void no(int *x) {";
extern "C" __global__ void ahead(float *x);
template <class T> __global__ void templated(T *x) {}
__global__ void mangled(float *x) {}
static __device__ void help() { extern __shared__ __align__(16) float2 tile[]; }
extern "C" __launch_bounds__(128, 2) __global__ void wide(const float4* const __restrict__ a, unsigned long long int q, const double b[], std::uint8_t c, long d, unsigned long int e) { if (c) { } }
extern "C" __global__ void structure(struct P p) {}
extern "C" __global__ void unnamed(float *) {}
extern "C" __global__ void deep(float **x) {}
extern "C" __global__ void value(float4 x) {}
`, metal.CompileOptions{FileName: "my.cu"})
	require.NoError(t, err)
	require.Equal(t, []string{"templated", "mangled", "wide", "structure", "unnamed", "deep", "value"}, l.FunctionNames())
	require.Equal(t, "const float4* a read, ulong q read, const double* b read, uchar c read, long d read, ulong e read, threadgroup float2* tile", arguments(l, "wide"))
	for name, want := range map[string]string{
		"templated": "my.cu: kernel templated is a template", "mangled": `my.cu: kernel mangled is not extern "C"`,
		"structure": "has a parameter p of type struct P", "unnamed": "with a name", "deep": "float * * x", "value": "x of float4 by value",
	} {
		_, err := l.NewFunction(name, nil)
		require.ErrorContains(t, err, want, name)
	}
	_, err = l.NewFunction("no", nil)
	require.ErrorContains(t, err, "no function called")
	for want, o := range map[string]metal.CompileOptions{
		"--use_fast_math": {FileName: "my.cu", MathMode: metal.MathRelaxed}, "leave Headers": {FileName: "my.cu", Headers: map[string]string{"a.h": ""}},
	} {
		_, err := d.NewLibrary("", o)
		require.ErrorContains(t, err, want)
	}
}

// TestSourceRefused: a device that takes no CUDA C++ says so, as a refusal, with which a test is skipped.
func TestSourceRefused(t *testing.T) {
	d := sim.New(sim.Options{})
	defer d.Release()
	_, err := d.NewLibrary(userText, metal.CompileOptions{FileName: "user.cu"})
	var r *metal.Refusal
	require.True(t, errors.As(err, &r))
	require.ErrorContains(t, err, "user.cu is CUDA C++, which an NVIDIA GPU alone takes")
}

// TestSourceLaunch runs a sum of a .cu file on a fake GPU, whose kernel is a Go function that has the arguments of the launch: buffers by address, numbers by
// value, each its own; a right one holds, and one that leaves a number out is found.
func TestSourceLaunch(t *testing.T) {
	for _, drops := range []uint64{0, 1} {
		f := newFake()
		f.kernel = func(f *fake, entry string, grid, block [3]uint32, shared uint32, words []uint64) {
			if entry != "sum" { // of the self-test
				return
			}
			// In the engine's goroutine, which nothing may end.
			good := assert.True(t, f.each) && assert.Len(t, words, 3, "shared memory is no parameter") && assert.Equal(t, [3]uint32{1, 1, 1}, grid) &&
				assert.GreaterOrEqual(t, shared, 4*block[0]) && assert.Less(t, words[2], uint64(1<<20), "n by value")
			if !good {
				return
			}
			s, n := float32(0), words[2]
			for i := range n - min(n, drops) {
				s += math.Float32frombits(binary.LittleEndian.Uint32(f.at(address(words[0]))[4*i:]))
			}
			binary.LittleEndian.PutUint32(f.at(address(words[1])), math.Float32bits(s))
		}
		d, err := fakeDevice(f, Options{})
		require.NoError(t, err)
		f.names()
		p, err := device.Props(device.Reduction{
			Name: "testdata/user.cu#sum", Source: userText, Function: "sum", Device: d, Options: metal.CompileOptions{Macros: map[string]string{"SIZE": "4"}},
		})
		require.NoError(t, err)
		require.Contains(t, f.names(), "CreateProgram CompileProgram")
		require.Contains(t, f.flags, "--define-macro=SIZE=4")
		require.NotContains(t, f.flags, "--fmad=false", "it is compiled as nvcc does")
		require.Empty(t, p.Device.Reference, "no simulator runs CUDA C++")
		l, err := judge.LawByID(judge.Laws(), "sum.enclosure")
		require.NoError(t, err)
		found, n, err := judge.Find(l, p, 60)
		require.NoError(t, err)
		require.Positive(t, n)
		require.Equal(t, drops > 0, found != nil)
		if found != nil {
			require.Contains(t, found.Text(), "Fake GPU")
		}
		d.Release()
	}
}

// TestSourceIncludes: a source that includes a file is compiled and loaded each time, and one without once.
func TestSourceIncludes(t *testing.T) {
	for include, want := range map[string]int{"": 1, "#include <cuda_runtime.h>\n": 1, "#include \"mine.cuh\"\n": 2} {
		f := newFake()
		d, err := fakeDevice(f, Options{})
		require.NoError(t, err)
		f.names()
		for range 2 {
			l, err := d.NewLibrary(include+`extern "C" __global__ void k(float *x) {}`, metal.CompileOptions{FileName: "my.cu"})
			require.NoError(t, err)
			fn, err := l.NewFunction("k", nil)
			require.NoError(t, err)
			_, err = d.NewComputePipelineState(fn)
			require.NoError(t, err)
		}
		names := f.names()
		require.Equal(t, want, strings.Count(names, "CompileProgram"), "%q: %s", include, names)
		require.Equal(t, want, strings.Count(names, "ModuleLoadDataEx"), "%q: %s", include, names)
		require.Equal(t, want == 2, slices.Contains(f.flags, "--include-path=."))
		d.Release()
	}
}

// TestSourceFails: what NVRTC says of a .cu file is the error, and that the source is at fault.
func TestSourceFails(t *testing.T) {
	f := newFake()
	d, err := fakeDevice(f, Options{})
	require.NoError(t, err)
	defer d.Release()
	f.fail["CompileProgram"], f.log = nvrtcCompile, "my.cu(3): error: identifier \"nosuch\" is undefined"
	_, err = device.Props(device.Reduction{
		Name: "my.cu#sum", Function: "sum", Device: d, Source: `extern "C" __global__ void sum(const float *x, float *out, int n) { nosuch; }`,
	})
	require.ErrorContains(t, err, `my.cu(3): error: identifier "nosuch" is undefined`)
	require.ErrorContains(t, err, "keep host code")
	require.NotContains(t, err.Error(), "report it")
}
