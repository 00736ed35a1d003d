// Vectors of bfloat.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[1 2 3 4] 1=float*4 2=int*1 -> 1=float[3 6 9 12] 2=int[8]
kernel void k(device const float4 *x, device float4 *o, device int *i) {
    bfloat4 v = bfloat4(*x);
    v = v + v + v;
    *o = float4(v);
    *i = sizeof(bfloat3);
}
