// The number of rows is not looked at: the last threadgroup's threads read and write beyond both buffers.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

kernel void dd_plus_dw(device const float4* x [[buffer(0)]],
                       device float2* z [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       uint i [[thread_position_in_grid]])
{
    float4 v = x[i];
    z[i] = dw_plus_dw(v.xy, v.zw);
}
