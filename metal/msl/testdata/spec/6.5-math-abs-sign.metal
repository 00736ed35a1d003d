// fabs, abs, copysign, fdim.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[-2.5 3] 1=float*6 -> 1=float[2.5 2.5 2.5 -3 0 5.5]
kernel void k(device const float *x, device float *o) {
    o[0] = fabs(x[0]);
    o[1] = abs(x[0]);
    o[2] = copysign(x[0], x[1]);
    o[3] = copysign(x[1], x[0]);
    o[4] = fdim(x[0], x[1]);
    o[5] = fdim(x[1], x[0]);
}
