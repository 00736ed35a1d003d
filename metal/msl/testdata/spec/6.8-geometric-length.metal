// length_squared and distance_squared; precise::length and distance of whole numbers whose root is one are exact.
#include <metal_stdlib>
using namespace metal;

// run k 0=float*4 -> 0=float[25 25 5 13]
kernel void k(device float *o) {
    float2 v = float2(3, 4);
    o[0] = length_squared(v);
    o[1] = distance_squared(v, float2(0));
    o[2] = precise::length(v);
    o[3] = precise::distance(float3(1, 2, 3), float3(4, 6, 15));
}
