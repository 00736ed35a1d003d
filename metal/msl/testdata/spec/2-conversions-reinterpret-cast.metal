// reinterpret_cast of a pointer reads the bytes as another type.
#include <metal_stdlib>
using namespace metal;

// run k 0=uint[0x3f800000 0x40000000] 1=float*2 2=int*1 -> 1=float[1 2] 2=int[0x3f]
kernel void k(device uint *x, device float *o, device int *b) {
    device float *f = reinterpret_cast<device float *>(x);
    o[0] = f[0];
    o[1] = f[1];
    *b = ((device uchar *)x)[3];
}
