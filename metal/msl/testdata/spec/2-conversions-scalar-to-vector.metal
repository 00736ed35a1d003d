// A scalar with a vector becomes a vector of it.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[1 2 3 4] 1=float*8 -> 1=float[3 4 5 6 7 7 7 7]
kernel void k(device const float4 *x, device float4 *o) {
    o[0] = *x + 2;
    float4 v = 7;
    o[1] = v;
}
