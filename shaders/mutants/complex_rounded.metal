// The second product of the imaginary part is rounded before it is added.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

kernel void complex_extended(device const float4* x [[buffer(0)]],
                             device float2* z [[buffer(1)]],
                             constant uint& n [[buffer(2)]],
                             uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float4 v = x[i];
    float2 re = dw_plus_dw(two_prod(v.x, v.z), -two_prod(v.y, v.w));
    float2 im = dw_plus_fp(two_prod(v.x, v.w), v.y * v.z);
    z[i] = float2(re.x, im.x);
}
