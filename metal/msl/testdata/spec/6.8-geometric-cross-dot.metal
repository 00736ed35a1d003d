// cross of three components, dot of two to four.
#include <metal_stdlib>
using namespace metal;

// run k 0=float*6 1=half*1 -> 0=float[0 0 1 32 11 30] 1=half[5]
kernel void k(device float *o, device half *h) {
    float3 c = cross(float3(1, 0, 0), float3(0, 1, 0));
    o[0] = c.x;
    o[1] = c.y;
    o[2] = c.z;
    o[3] = dot(float3(1, 2, 3), float3(4, 5, 6));
    o[4] = dot(float2(1, 2), float2(3, 4));
    o[5] = dot(float4(1, 2, 3, 4), float4(1, 2, 3, 4));
    *h = dot(half2(1, 2), half2(1, 2));
}
