// Shifts to the right keep the sign of signed integers; a count is taken modulo the width.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[-16 3 33] 1=int*6 -> 1=int[-2 24 -128 536870910 -32 8]
kernel void k(device const int *x, device int *o) {
    o[0] = x[0] >> x[1];
    o[1] = x[1] << x[1];
    o[2] = x[0] << x[1];
    o[3] = int(uint(x[0]) >> x[1]);
    o[4] = x[0] << x[2];
    int2 v = int2(1, 2) << int2(3, 1);
    o[5] = v.x;
}
