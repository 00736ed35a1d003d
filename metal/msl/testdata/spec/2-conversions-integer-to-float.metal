// An integer becomes the float that is nearest, as far as the rounding is to nearest; these are exact.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[-7 16777216] 1=ulong[0x8000000000000000] 2=float*4 -> 2=float[-7 16777216 9223372036854775808 255]
kernel void k(device const int *x, device const ulong *u, device float *o) {
    o[0] = x[0];
    o[1] = float(x[1]);
    o[2] = float(u[0]);
    o[3] = uchar(-1);
}
