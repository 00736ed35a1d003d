// The right tap is left out one place too early: at the last place but one of each channel.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

kernel void depthwise3_extended(device const float* x [[buffer(0)]],
                                device float* out [[buffer(1)]],
                                constant uint& n [[buffer(2)]],
                                constant uint& channels [[buffer(3)]],
                                device const float* taps [[buffer(4)]],
                                uint first [[thread_position_in_grid]],
                                uint threads [[threads_per_grid]])
{
    for (uint i = first; i < n * channels; i += threads) {
        uint t = i % n;
        device const float* w = taps + i / n * 3;
        float left = t > 0 ? x[i - 1] : 0.0f;
        float right = t + 2 < n ? x[i + 1] : 0.0f;
        float2 s = dw_plus_dw(two_prod(left, w[0]), two_prod(x[i], w[1]));
        s = dw_plus_dw(s, two_prod(right, w[2]));
        out[i] = s.x;
    }
}
