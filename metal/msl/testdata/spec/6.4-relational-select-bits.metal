// select with a vector of integers of the same width looks at their sign bits.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[1 2 3 4] 1=float*4 -> 1=float[10 2 30 4]
kernel void k(device const float4 *x, device float4 *o) {
    *o = select(*x, *x * 10, int4(-1, 0, -1, 1) < 0);
}
