// fmin, fmax, min, max, fmin3, fmax3, fmedian3, min3, max3, median3 of floats.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[1 -2 3] 1=float*10 -> 1=float[-2 1 -2 3 -2 3 1 -2 3 1]
kernel void k(device const float *x, device float *o) {
    o[0] = fmin(x[0], x[1]);
    o[1] = fmax(x[0], x[1]);
    o[2] = min(x[1], x[2]);
    o[3] = max(x[1], x[2]);
    o[4] = fmin3(x[0], x[1], x[2]);
    o[5] = fmax3(x[0], x[1], x[2]);
    o[6] = fmedian3(x[0], x[1], x[2]);
    o[7] = min3(x[0], x[1], x[2]);
    o[8] = max3(x[0], x[1], x[2]);
    o[9] = median3(x[0], x[1], x[2]);
}
