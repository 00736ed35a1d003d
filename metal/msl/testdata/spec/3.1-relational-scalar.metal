// < > <= >= == != of scalars give bool.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[1 2] 1=int*6 -> 1=int[1 0 1 0 0 1]
kernel void k(device const float *x, device int *o) {
    float a = x[0], b = x[1];
    o[0] = a < b;
    o[1] = a > b;
    o[2] = a <= b;
    o[3] = a >= b;
    o[4] = a == b;
    o[5] = a != b;
}
