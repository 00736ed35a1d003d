// precise::sqrt, precise::rsqrt and precise::divide are correctly rounded, so that exact results are what they are.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[2.25 16 3] 1=float*4 -> 1=float[1.5 4 0.25 2]
kernel void k(device const float *x, device float *o) {
    o[0] = precise::sqrt(x[0]);
    o[1] = precise::sqrt(x[1]);
    o[2] = precise::rsqrt(x[1]);
    o[3] = precise::divide(x[2], 1.5f);
}
