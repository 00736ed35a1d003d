// numeric_limits of integers and floats.
#include <metal_stdlib>
using namespace metal;

// run k 0=long*6 1=float*4 -> 0=long[127 -128 65535 24 2 1] 1=float[0x34000000 0x7f7fffff 0xff7fffff 65504]
kernel void k(device long *o, device float *f) {
    o[0] = numeric_limits<char>::max();
    o[1] = numeric_limits<char>::lowest();
    o[2] = numeric_limits<ushort>::max();
    o[3] = numeric_limits<float>::digits;
    o[4] = numeric_limits<int>::radix;
    o[5] = numeric_limits<half>::has_infinity;
    f[0] = numeric_limits<float>::epsilon();
    f[1] = numeric_limits<float>::max();
    f[2] = numeric_limits<float>::lowest();
    f[3] = numeric_limits<half>::max();
}
