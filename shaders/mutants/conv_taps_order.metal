// The taps are in the other order.

#include <metal_stdlib>
using namespace metal;

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
        dst[i] = taps[2] * left + taps[1] * middle + taps[0] * x[i];
    }
}
