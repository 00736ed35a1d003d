// The same as clang writes it; fma is fused everywhere.
#include <metal_stdlib>
using namespace metal;
#pragma METAL fp math_mode(safe)
// run k 0=float*2 -> 0=float[0 0x33800000]
kernel void k(device float *o) {
#pragma clang fp contract(off)
    float a = 1.0f + 0x1p-12f;
    float p = 1.0f + 0x1p-11f;
    o[0] = (a * a - p) * 0.0f;
    o[1] = fma(a, a, -p);
}
