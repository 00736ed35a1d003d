// step(edge, x) is 0 below the edge and 1 from it on.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[1 2 3 4] 1=float*4 -> 1=float[0 1 1 1]
kernel void k(device const float4 *x, device float4 *o) { *o = step(float4(2), *x); }
