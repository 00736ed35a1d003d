// Discrete Fourier transforms of n = 2^k complex numbers in float, many in one dispatch. Host code and claims: fft.go.
//
// Kernels are templates: name is that for numbers of two floats, name_double for double words, a real and an imaginary one: (re high, re low, im high, im low).
//
// Number j of transform y is x[y·n + j], y being the thread's second coordinate. w[k] is exp(∓2πi·k/n) for k < n/2, with the sign of the transform: the host rounds
// each part once, to a float or to a double word. Stages are of radix 2, by decimation in time: numbers are brought into bit-reversed order, and stages of spans 1, 2, … n/2 follow, each a dispatch
// of its own, which all threadgroups end before the next begins.
//
// The pragmas of dd.h hold: no product is fused with a sum, so that a product by a factor of parts 1 and 0 is exact.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

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

// fft_butterfly of double words.
//
// Error:    5u² of each product of parts, 3u²/(1-4u) of each sum.
// Source:   [JMP 2017] Algorithms 6 and 11; [MR 2022].
template <typename P>
inline void fft_butterfly(P a, P b, float4 w)
{
    float4 v = *b;
    float2 re = dw_plus_dw(dw_times_dw2(v.xy, w.xy), -dw_times_dw2(v.zw, w.zw));
    float2 im = dw_plus_dw(dw_times_dw2(v.xy, w.zw), dw_times_dw2(v.zw, w.xy));
    float4 u = *a;
    *a = float4(dw_plus_dw(u.xy, re), dw_plus_dw(u.zw, im));
    *b = float4(dw_plus_dw(u.xy, -re), dw_plus_dw(u.zw, -im));
}

// fft_bit_reverse writes number reversed(i) times scale as number i. Of double words each word is multiplied, which is exact for a power of two.
//
// Launch:  n threads a transform or more. Barriers: none.
template <typename T>
kernel void fft_bit_reverse(device const T* src [[buffer(0)]],
                            device T* dst [[buffer(1)]],
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
template <typename T>
kernel void fft_stage(device T* x [[buffer(0)]],
                      device const T* w [[buffer(1)]],
                      constant uint& n [[buffer(2)]],
                      constant uint& span [[buffer(3)]],
                      uint2 id [[thread_position_in_grid]])
{
    if (id.x < n / 2) {
        uint k = id.x & (span - 1);
        device T* a = x + (id.y * n + 2 * id.x - k);
        fft_butterfly(a, a + span, w[k * (n / 2 >> ctz(span))]);
    }
}

// fft_tile does what fft_bit_reverse and the stages of spans below tile do, for tile numbers of the result a threadgroup, which it holds in t.
//
// Shape:   tile is a power of two, n at most.
// Launch:  n/tile threadgroups a transform, of any number of threads. tile numbers of threadgroup memory.
// Barriers: one before each stage, and one after the last.
template <typename T>
kernel void fft_tile(device const T* src [[buffer(0)]],
                     device T* dst [[buffer(1)]],
                     device const T* w [[buffer(2)]],
                     constant uint& n [[buffer(3)]],
                     constant uint& tile [[buffer(4)]],
                     constant float& scale [[buffer(5)]],
                     threadgroup T* t [[threadgroup(0)]],
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
            threadgroup T* a = t + (2 * b - k);
            fft_butterfly(a, a + span, w[k * (n / 2 >> ctz(span))]);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = id; i < tile; i += threads.x) {
        dst[group.y * n + first + i] = t[i];
    }
}

// fft_real_apart makes of row y of m values Z_k, those of numbers x_(2j) + i·x_(2j+1), the m + 1 first values of the transform of all 2m numbers x:
// X_k = E + w_k·O and X_(m-k) = conj(E - w_k·O), where E = (Z_k + conj Z_(m-k))/2, O = (Z_k - conj Z_(m-k))/2i, and w_k = exp(-2πi·k/2m).
//
// Launch:  m/2 + 1 threads a transform or more. Barriers: none.
// Error:   u of a sum besides the butterfly's.
// Source:  [Gamma Y1].
kernel void fft_real_apart(device const float2* z [[buffer(0)]],
                           device float2* dst [[buffer(1)]],
                           device const float2* w [[buffer(2)]],
                           constant uint& m [[buffer(3)]],
                           uint2 id [[thread_position_in_grid]])
{
    uint k = id.x;
    if (k > m / 2) {
        return;
    }
    float2 a = z[id.y * m + k];
    float2 b = z[id.y * m + (m - k) % m];
    float2 even = float2(a.x + b.x, a.y - b.y) * 0.5f;
    float2 odd = float2(a.y + b.y, b.x - a.x) * 0.5f;
    fft_butterfly(&even, &odd, w[k]);
    device float2* row = dst + id.y * (m + 1);
    row[k] = even;
    row[m - k] = float2(odd.x, -odd.y);
}

// fft_real_together is the way back, without a factor: of values X_0 to X_m it makes Z_k = S + i·D and Z_(m-k) = conj(S - i·D), where S = X_k + conj X_(m-k), D = w_k·(X_k - conj X_(m-k)), and
// w_k = exp(2πi·k/2m). Of X_0 and X_m it takes the real parts alone.
//
// Launch:  m/2 + 1 threads a transform or more. Barriers: none.
kernel void fft_real_together(device const float2* x [[buffer(0)]],
                              device float2* z [[buffer(1)]],
                              device const float2* w [[buffer(2)]],
                              constant uint& m [[buffer(3)]],
                              uint2 id [[thread_position_in_grid]])
{
    uint k = id.x;
    if (k > m / 2) {
        return;
    }
    device const float2* row = x + id.y * (m + 1);
    float2 a = row[k];
    float2 b = row[m - k];
    if (k == 0) {
        a.y = 0;
        b.y = 0;
    }
    float2 sum = float2(a.x + b.x, a.y - b.y);
    float2 turned = float2(-(a.y + b.y), a.x - b.x); // i·(a - conj b)
    fft_butterfly(&sum, &turned, w[k]);
    device float2* to = z + id.y * m;
    to[k] = sum;
    if (k > 0) {
        to[m - k] = float2(turned.x, -turned.y);
    }
}

#define FFT(T, suffix) \
    template [[host_name("fft_bit_reverse" suffix)]] kernel decltype(fft_bit_reverse<T>) fft_bit_reverse<T>; \
    template [[host_name("fft_stage" suffix)]] kernel decltype(fft_stage<T>) fft_stage<T>; \
    template [[host_name("fft_tile" suffix)]] kernel decltype(fft_tile<T>) fft_tile<T>;

FFT(float2, "")
FFT(float4, "_double")
#undef FFT
