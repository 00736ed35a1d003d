// The low words are exchanged: each high word is multiplied by its own low word, not by the other one's.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

kernel void dd_times_dw3(device const float4* x [[buffer(0)]],
                         device float2* z [[buffer(1)]],
                         constant uint& n [[buffer(2)]],
                         uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float4 v = x[i];
    float2 c = two_prod(v.x, v.z);
    float tl0 = v.y * v.w;
    float tl1 = fma(v.x, v.y, tl0);
    float cl2 = fma(v.z, v.w, tl1);
    float cl3 = c.y + cl2;
    z[i] = fast_two_sum(c.x, cl3);
}
