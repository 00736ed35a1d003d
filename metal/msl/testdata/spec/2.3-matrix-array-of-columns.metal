// A matrix in memory is an array of its columns, each aligned as a vector.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[1 2 3 99 4 5 6 99] 1=float*4 -> 1=float[1 6 32 16]
kernel void k(device const float2x3 &m, device float *o) {
    o[0] = m[0].x;
    o[1] = m[1].z;
    o[2] = sizeof(m);
    o[3] = alignof(float2x3);
}
