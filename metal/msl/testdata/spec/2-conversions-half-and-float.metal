// half with float is float, and half with an integer is half.
#include <metal_stdlib>
using namespace metal;

// run k 0=half[2.5] 1=int*3 2=float*2 -> 1=int[4 2 2] 2=float[2.625 5]
kernel void k(device const half *x, device int *o, device float *f) {
    o[0] = sizeof(x[0] + 1.0f);
    o[1] = sizeof(x[0] + 1.0h);
    o[2] = sizeof(x[0] * 2);
    f[0] = x[0] + 0.125f;
    f[1] = x[0] * 2;
}
