// half is binary16: 11 bits of significand, so 2049 is halfway between 2048 and 2050.
#include <metal_stdlib>
using namespace metal;

// run k 0=half[1.5 0.25] 1=half*3 2=int*2 -> 1=half[1.75 0.375 6] 2=int[2 2050]
kernel void k(device const half *x, device half *o, device int *i) {
    o[0] = x[0] + x[1];
    o[1] = x[0] * x[1];
    o[2] = x[0] / x[1];
    i[0] = sizeof(half);
    i[1] = int(half(2050));
}
