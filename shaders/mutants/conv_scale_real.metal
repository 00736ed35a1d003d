// The imaginary part is not scaled.

#include <metal_stdlib>
using namespace metal;

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
        dst[i] = float2((a.x * b.x - a.y * b.y) * scale, a.x * b.y + a.y * b.x);
    }
}
