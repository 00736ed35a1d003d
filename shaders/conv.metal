// The steps of a long convolution beside its Fourier transforms. Host code and claims: conv.go.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

// spectrum_product writes x·k·scale for rows of complex numbers, each a real and an imaginary part; rows of x take the filters of k in turn, of so many numbers
// together.
//
// Error:    5·u of each part's |x_re·k_re| + |x_im·k_im|, or |x_re·k_im| + |x_im·k_re|, times |scale|, and less where products are fused.
// Launch:   a thread a complex number, and more. Barriers: none.
kernel void spectrum_product(device float2* dst [[buffer(0)]],
                             device const float2* x [[buffer(1)]],
                             device const float2* k [[buffer(2)]],
                             constant float& scale [[buffer(3)]],
                             constant uint& count [[buffer(4)]],
                             constant uint& filters [[buffer(5)]],
                             uint i [[thread_position_in_grid]])
{
    if (i < count) {
        float2 a = x[i];
        float2 b = k[i % filters];
        dst[i] = float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x) * scale;
    }
}

// spectrum_product_extended is spectrum_product in double words: each part is rounded once.
//
// Error:    half an ulp, after (3u²/(1-4u) + 2u²)·(1+u) of the part and, where a step underflows or is flushed, 2^-122·(|scale| + 1). Where a device reads subnormal
//           numbers of x, k and scale as 0, also the products of what that takes from them.
// Source:   [JMP 2017] Algorithms 3, 6 and 9; [MR 2022].
// Launch:   a thread a complex number, and more. Barriers: none.
kernel void spectrum_product_extended(device float2* dst [[buffer(0)]],
                                      device const float2* x [[buffer(1)]],
                                      device const float2* k [[buffer(2)]],
                                      constant float& scale [[buffer(3)]],
                                      constant uint& count [[buffer(4)]],
                                      constant uint& filters [[buffer(5)]],
                                      uint i [[thread_position_in_grid]])
{
    if (i < count) {
        float2 a = x[i];
        float2 b = k[i % filters];
        float2 re = dw_plus_dw(two_prod(a.x, b.x), two_prod(-a.y, b.y));
        float2 im = dw_plus_dw(two_prod(a.x, b.y), two_prod(a.y, b.x));
        dst[i] = float2(dw_times_fp3(re, scale).x, dw_times_fp3(im, scale).x);
    }
}

// bias_gate writes (y + bias)·gate for rows of n numbers, whose channels take turns.
//
// Error:    half an ulp of the sum, times |gate|, and half an ulp.
// Launch:   a thread a number, and more. Barriers: none.
kernel void bias_gate(device float* dst [[buffer(0)]],
                      device const float* y [[buffer(1)]],
                      device const float* bias [[buffer(2)]],
                      device const float* gate [[buffer(3)]],
                      constant uint& count [[buffer(4)]],
                      constant uint& n [[buffer(5)]],
                      constant uint& channels [[buffer(6)]],
                      uint i [[thread_position_in_grid]])
{
    if (i < count) {
        dst[i] = (y[i] + bias[i / n % channels]) * gate[i];
    }
}

// depthwise3 writes w_0·x_(t-2) + w_1·x_(t-1) + w_2·x_t for rows of n numbers, whose channels take turns and have taps of their own; before a row are zeros.
//
// Error:    3u·Σ|w·x|.
// Launch:   a thread a number, and more. Barriers: none.
kernel void depthwise3(device float* dst [[buffer(0)]],
                       device const float* x [[buffer(1)]],
                       device const float* w [[buffer(2)]],
                       constant uint& count [[buffer(3)]],
                       constant uint& n [[buffer(4)]],
                       constant uint& channels [[buffer(5)]],
                       uint i [[thread_position_in_grid]])
{
    if (i < count) {
        uint t = i % n;
        device const float* taps = w + 3 * (i / n % channels);
        float left = t > 1 ? x[i - 2] : 0.0f;
        float middle = t > 0 ? x[i - 1] : 0.0f;
        dst[i] = taps[0] * left + taps[1] * middle + taps[2] * x[i];
    }
}
