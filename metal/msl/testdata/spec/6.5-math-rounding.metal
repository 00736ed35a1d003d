// ceil, floor, trunc, rint (ties to even), round (ties away from zero), fract.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[2.5 -2.5 1.75] 1=float*18 -> 1=float[3 2 2 2 3 0.5 -2 -3 -2 -2 -3 0.5 2 1 1 2 2 0.75]
kernel void k(device const float *x, device float *o) {
    for (int i = 0; i < 3; i++) {
        o[6 * i] = ceil(x[i]);
        o[6 * i + 1] = floor(x[i]);
        o[6 * i + 2] = trunc(x[i]);
        o[6 * i + 3] = rint(x[i]);
        o[6 * i + 4] = round(x[i]);
        o[6 * i + 5] = fract(x[i]);
    }
}
