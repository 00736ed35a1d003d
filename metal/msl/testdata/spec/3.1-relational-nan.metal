// A NaN is not equal to, nor below, nor above any number.
#pragma METAL fp math_mode(safe)
#include <metal_stdlib>
using namespace metal;
// run k 0=float[0x7fc00000 1] 1=int*5 -> 1=int[0 1 0 0 0]
kernel void k(device const float *x, device int *o) {
    o[0] = x[0] == x[0];
    o[1] = x[0] != x[0];
    o[2] = x[0] < x[1];
    o[3] = x[0] > x[1];
    o[4] = x[1] >= x[0];
}
