// The fp pragmas are missing: a compiler that contracts across statements takes the product into the sum after it, and adds its
// error twice.

#include <metal_stdlib>
using namespace metal;

#define GAMMA_OPEN
#include "dd.h"

kernel void dd_times_dw1(device const float4* x [[buffer(0)]],
                         device float2* z [[buffer(1)]],
                         constant uint& n [[buffer(2)]],
                         uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float4 v = x[i];
    z[i] = dw_times_dw1(v.xy, v.zw);
}
