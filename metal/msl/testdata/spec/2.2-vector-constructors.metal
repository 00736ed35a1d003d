// A vector is made of one scalar, or of scalars and vectors that have as many components in all.
#include <metal_stdlib>
using namespace metal;

// run k 0=int*16 -> 0=int[7 7 7 7 1 2 3 4 1 2 3 4 5 6 7 8]
kernel void k(device int4 *o) {
    o[0] = int4(7);
    o[1] = int4(1, int2(2, 3), 4);
    o[2] = int4(int3(1, 2, 3), 4);
    int2 a = int2(5, 6), b = int2(7, 8);
    o[3] = int4(a, b);
}
