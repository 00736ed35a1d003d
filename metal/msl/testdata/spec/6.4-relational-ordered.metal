// isordered and isunordered.
#pragma METAL fp math_mode(safe)
#include <metal_stdlib>
using namespace metal;
// run k 0=float[1 0x7fc00000] 1=int*4 -> 1=int[1 0 0 1]
kernel void k(device const float *x, device int *o) {
    o[0] = isordered(x[0], x[0]);
    o[1] = isordered(x[0], x[1]);
    o[2] = isunordered(x[0], x[0]);
    o[3] = isunordered(float2(x[0]), float2(x[1])).x;
}
