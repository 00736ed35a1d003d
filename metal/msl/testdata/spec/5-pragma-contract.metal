// Products and sums are not fused where a pragma says so: a·a - p of the rounded product p is then 0, whatever the mode of the rest.
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
// run k 0=uint[0x3f800800] 1=float*1 -> 1=float[0]
kernel void k(device const float *x, device float *o) {
    float a = x[0], p = a * a;
    o[0] = a * a - p;
}
