// Parts are rounded before they are scaled.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

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
        dst[i] = float2(re.x * scale, im.x * scale);
    }
}
