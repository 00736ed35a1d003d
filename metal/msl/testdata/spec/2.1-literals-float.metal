// A literal of a float without a suffix is a float; f and h and bf say which type.
#include <metal_stdlib>
using namespace metal;

// run k 0=int*5 1=float*3 -> 0=int[4 4 2 2 4] 1=float[1536 0.625 250]
kernel void k(device int *o, device float *f) {
    o[0] = sizeof(1.5);
    o[1] = sizeof(1.5f);
    o[2] = sizeof(1.5h);
    o[3] = sizeof(1.5bf);
    o[4] = sizeof(0x1p3f);
    f[0] = 0x1.8p10f;
    f[1] = .625F;
    f[2] = 2.5e2;
}
