// frexp and ldexp of vectors.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[8 0.5] 1=float*2 2=int*2 -> 1=float[0.5 0.5] 2=int[4 0]
kernel void k(device const float2 *x, device float2 *o, device int2 *e) {
    int2 n;
    *o = frexp(*x, n);
    *e = n;
}
