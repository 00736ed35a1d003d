// Of a number and a NaN, fmin and fmax give the number.
#pragma METAL fp math_mode(safe)
#include <metal_stdlib>
using namespace metal;
// run k 0=float[1 0x7fc00000] 1=float*4 -> 1=float[1 1 1 1]
kernel void k(device const float *x, device float *o) {
    o[0] = fmin(x[0], x[1]);
    o[1] = fmax(x[1], x[0]);
    o[2] = precise::fmin(x[1], x[0]);
    o[3] = precise::fmax(x[0], x[1]);
}
