// Functions of half and its vectors, where results are exact.
#include <metal_stdlib>
using namespace metal;

// run k 0=half[4 -2.5] 1=half*8 -> 1=half[2.5 -3 -2 1.5 -2 4 0.5 3]
kernel void k(device const half *x, device half *o) {
    o[0] = fabs(x[1]);
    o[1] = floor(x[1]);
    o[2] = trunc(x[1]);
    o[3] = fmod(x[0], 2.5h);
    o[4] = rint(x[1]);
    o[5] = fmax(x[0], x[1]);
    o[6] = fract(x[1]);
    o[7] = ldexp(1.5h, 1);
}
