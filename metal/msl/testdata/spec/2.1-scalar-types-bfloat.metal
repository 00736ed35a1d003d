// bfloat has the exponents of float and 8 bits of significand: 257 is no bfloat, 256 and 258 are.
#include <metal_stdlib>
using namespace metal;
// run k 0=float[1.5 3] 1=float*3 2=int*1 -> 1=float[4.5 258 0x7f000000] 2=int[2]
kernel void k(device const float *x, device float *o, device int *i) {
    bfloat a = bfloat(x[0]), b = bfloat(x[1]);
    o[0] = float(a * b);
    o[1] = float(bfloat(258.0f));
    o[2] = float(bfloat(0x1p127f));
    i[0] = sizeof(bfloat);
}
