// + - * / % of integers; a quotient is rounded toward zero, and a remainder has the sign of the dividend.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[7 -7 2 -2] 1=int*8 -> 1=int[9 -9 14 3 -3 1 -1 -3]
kernel void k(device const int *x, device int *o) {
    o[0] = x[0] + x[2];
    o[1] = x[1] - x[2];
    o[2] = x[0] * x[2];
    o[3] = x[0] / x[2];
    o[4] = x[1] / x[2];
    o[5] = x[0] % x[2];
    o[6] = x[1] % x[2];
    o[7] = x[0] / x[3];
}
