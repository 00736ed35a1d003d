// The sloppy sum in the place of the accurate one: for opposite signs every digit may be wrong.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

kernel void dd_plus_dw(device const float4* x [[buffer(0)]],
                       device float2* z [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float4 v = x[i];
    z[i] = dw_plus_dw_sloppy(v.xy, v.zw);
}
