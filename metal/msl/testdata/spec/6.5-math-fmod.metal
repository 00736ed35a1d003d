// fmod is x - y·trunc(x/y), with the sign of x.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[7.5 -7.5 2] 1=float*3 -> 1=float[1.5 -1.5 1.5]
kernel void k(device const float *x, device float *o) {
    o[0] = precise::fmod(x[0], x[2]);
    o[1] = precise::fmod(x[1], x[2]);
    o[2] = precise::fmod(x[0], -x[2]);
}
