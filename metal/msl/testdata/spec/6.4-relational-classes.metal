// isfinite, isinf, isnan, isnormal, signbit.
#pragma METAL fp math_mode(safe)
#include <metal_stdlib>
using namespace metal;
// run k 0=float[1 0x7f800000 0x7fc00000 -0] 1=int*20 -> 1=int[1 0 0 1 0 0 1 0 0 0 0 0 1 0 0 1 0 0 0 1]
kernel void k(device const float *x, device int *o) {
    for (int i = 0; i < 4; i++) {
        o[5 * i] = isfinite(x[i]);
        o[5 * i + 1] = isinf(x[i]);
        o[5 * i + 2] = isnan(x[i]);
        o[5 * i + 3] = isnormal(x[i]);
        o[5 * i + 4] = signbit(x[i]);
    }
}
