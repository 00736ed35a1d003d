// modf gives what is after the point, and the whole number by reference.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[3.25 -3.25] 1=float*6 -> 1=float[0.25 3 -0.25 -3 0.5 4]
kernel void k(device const float *x, device float *o) {
    float whole;
    o[0] = modf(x[0], whole);
    o[1] = whole;
    o[2] = modf(x[1], whole);
    o[3] = whole;
    half h;
    o[4] = modf(4.5h, h);
    o[5] = h;
}
