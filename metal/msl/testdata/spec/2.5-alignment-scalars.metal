// A scalar is aligned to its size.
#include <metal_stdlib>
using namespace metal;

// run k 0=int*8 -> 0=int[1 1 2 2 4 4 8 2]
kernel void k(device int *o) {
    o[0] = alignof(bool);
    o[1] = alignof(char);
    o[2] = alignof(short);
    o[3] = alignof(half);
    o[4] = alignof(int);
    o[5] = alignof(float);
    o[6] = alignof(ulong);
    o[7] = alignof(bfloat);
}
