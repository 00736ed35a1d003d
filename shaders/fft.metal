// Discrete Fourier transforms of n = 2^k complex numbers in float, many in one dispatch. Host code and claims: fft.go.
//
// Number j of transform y is x[y·n + j], y being the thread's second coordinate. w[k] is exp(∓2πi·k/n) for k < n/2, with the sign of the transform: the host rounds
// each part once. Stages are of radix 2, by decimation in time: numbers are brought into bit-reversed order, and stages of spans 1, 2, … n/2 follow, each a dispatch
// of its own, which all threadgroups end before the next begins.
//
// The pragmas of eft.h hold: no product is fused with a sum, so that a product by a factor of parts 1 and 0 is exact.

#include <metal_stdlib>
using namespace metal;

#include "eft.h"

// reversed returns the low bits of i, those of n-1, in the other order.
inline uint reversed(uint i, uint n) { return n > 1 ? reverse_bits(i) >> (clz(n) + 1) : 0; }

// fft_butterfly replaces (a, b) by (a + w·b, a - w·b).
//
// Error:    √5·u·|w·b| of the product, u of each part of a sum.
// Source:   [BPZ 2007].
template <typename P>
inline void fft_butterfly(P a, P b, float2 w)
{
    float2 v = *b;
    float2 wb = float2(v.x * w.x - v.y * w.y, v.x * w.y + v.y * w.x);
    float2 u = *a;
    *a = u + wb;
    *b = u - wb;
}

// fft_bit_reverse writes number reversed(i) times scale as number i.
//
// Launch:  n threads a transform or more. Barriers: none.
kernel void fft_bit_reverse(device const float2* src [[buffer(0)]],
                            device float2* dst [[buffer(1)]],
                            constant uint& n [[buffer(2)]],
                            constant float& scale [[buffer(3)]],
                            uint2 id [[thread_position_in_grid]])
{
    if (id.x < n) {
        dst[id.y * n + id.x] = src[id.y * n + reversed(id.x, n)] * scale;
    }
}

// fft_stage does the butterflies of numbers span apart.
//
// Launch:  n/2 threads a transform or more. Barriers: none.
kernel void fft_stage(device float2* x [[buffer(0)]],
                      device const float2* w [[buffer(1)]],
                      constant uint& n [[buffer(2)]],
                      constant uint& span [[buffer(3)]],
                      uint2 id [[thread_position_in_grid]])
{
    if (id.x < n / 2) {
        uint k = id.x & (span - 1);
        device float2* a = x + (id.y * n + 2 * id.x - k);
        fft_butterfly(a, a + span, w[k * (n / 2 >> ctz(span))]);
    }
}

// fft_tile does what fft_bit_reverse and the stages of spans below tile do, for tile numbers of the result a threadgroup, which it holds in t.
//
// Shape:   tile is a power of two, n at most.
// Launch:  n/tile threadgroups a transform, of any number of threads. tile numbers of threadgroup memory.
// Barriers: one before each stage, and one after the last.
kernel void fft_tile(device const float2* src [[buffer(0)]],
                     device float2* dst [[buffer(1)]],
                     device const float2* w [[buffer(2)]],
                     constant uint& n [[buffer(3)]],
                     constant uint& tile [[buffer(4)]],
                     constant float& scale [[buffer(5)]],
                     threadgroup float2* t [[threadgroup(0)]],
                     uint2 group [[threadgroup_position_in_grid]],
                     uint id [[thread_index_in_threadgroup]],
                     uint2 threads [[threads_per_threadgroup]])
{
    uint first = group.x * tile;
    for (uint i = id; i < tile; i += threads.x) {
        t[i] = src[group.y * n + reversed(first + i, n)] * scale;
    }
    for (uint span = 1; span < tile; span *= 2) {
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint b = id; b < tile / 2; b += threads.x) {
            uint k = b & (span - 1);
            threadgroup float2* a = t + (2 * b - k);
            fft_butterfly(a, a + span, w[k * (n / 2 >> ctz(span))]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = id; i < tile; i += threads.x) {
        dst[group.y * n + first + i] = t[i];
    }
}
