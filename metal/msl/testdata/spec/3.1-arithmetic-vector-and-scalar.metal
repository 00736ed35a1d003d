// A scalar on either side.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[1 2 4 8] 1=float*12 -> 1=float[9 8 6 2 0.5 1 2 4 8 4 2 1]
kernel void k(device const float4 *x, device float4 *o) {
    o[0] = 10 - *x;
    o[1] = *x / 2;
    o[2] = 8.0f / *x;
}
