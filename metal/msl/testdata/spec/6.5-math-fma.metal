// fma rounds once: (1 + 2^-12)^2 - (1 + 2^-11) is 2^-24.
#include <metal_stdlib>
using namespace metal;

// run k 0=float*3 1=half*1 -> 0=float[0x33800000 7 -5] 1=half[7]
kernel void k(device float *o, device half *h) {
    float a = 1 + 0x1p-12f;
    o[0] = fma(a, a, -(1 + 0x1p-11f));
    float2 v = fma(float2(2, 3), float2(3, -2), float2(1));
    o[1] = v.x;
    o[2] = v.y;
    *h = fma(2.0h, 3.0h, 1.0h);
}
