// The last renormalisation is missing: the low word is added to nothing, and outgrows half an ulp where x and y cancel.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

kernel void dd_plus_fp(device const packed_float3* x [[buffer(0)]],
                       device float2* z [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float3 v = x[i];
    float2 s = two_sum(v.x, v.z);
    z[i] = float2(s.x, v.y + s.y);
}
