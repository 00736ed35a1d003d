// frexp takes a number apart into one of [0.5, 1) and a power of 2; ldexp puts it together; ilogb.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[12 -0.375] 1=float*4 2=int*4 -> 1=float[0.75 -0.75 12 -0.375] 2=int[4 -1 3 -2]
kernel void k(device const float *x, device float *o, device int *e) {
    for (int i = 0; i < 2; i++) {
        int n;
        o[i] = frexp(x[i], n);
        e[i] = n;
        o[2 + i] = ldexp(o[i], n);
        e[2 + i] = ilogb(x[i]);
    }
}
