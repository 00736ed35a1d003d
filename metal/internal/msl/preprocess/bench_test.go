package preprocess

import (
	"strings"
	"testing"
)

// benchmarkSource is a shader of 500 lines in the usual style: kernels from macros, conditionals, constants.
func benchmarkSource() string {
	head := `#include <metal_stdlib>
using namespace metal;
#pragma METAL fp math_mode(safe)
#define TG_SIZE 256
#define REDUCE(op, shared, lid) \
	for (uint s = TG_SIZE / 2; s > 0; s >>= 1) { if (lid < s) shared[lid] = op(shared[lid], shared[lid + s]); threadgroup_barrier(mem_flags::mem_threadgroup); }
#define INSTANTIATE(name, T) template [[host_name(#name "_" #T)]] kernel void name<T>(device const T*, device T*, constant uint&, uint, uint);
`
	kernel := `
// Adds two elements; the wider type keeps the sum.
template <typename T>
METAL_FUNC T add(T a, T b) { return a + b; }

template <typename T>
kernel void sum(device const T* in [[buffer(0)]], device T* out [[buffer(1)]],
                constant uint& n [[buffer(2)]], uint lid [[thread_position_in_threadgroup]],
                uint gid [[threadgroup_position_in_grid]]) {
	threadgroup float shared[TG_SIZE];
	float acc = 0.0f;
	for (uint i = gid * TG_SIZE + lid; i < n; i += TG_SIZE * 64) {
		acc += float(in[i]) * 0.5f;
	}
	shared[lid] = acc;
	threadgroup_barrier(mem_flags::mem_threadgroup);
	REDUCE(add, shared, lid)
#if __METAL_VERSION__ >= 310 && defined(TG_SIZE)
	if (lid == 0) out[gid] = T(shared[0] + M_PI_F);
#else
	if (lid == 0) out[gid] = T(shared[0]);
#endif
}
INSTANTIATE(sum, float)
INSTANTIATE(sum, half)
`
	n := 500/strings.Count(kernel, "\n") + 1
	return head + strings.Repeat(kernel, n)
}

func BenchmarkPreprocess(b *testing.B) {
	src := benchmarkSource()
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if toks, diags := Run(src, Options{}); len(diags) > 0 || len(toks) < 4000 {
			b.Fatal(len(toks), diags)
		}
	}
}
