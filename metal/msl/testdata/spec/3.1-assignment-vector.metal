// Compound assignments of vectors, with vectors and scalars.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[1 2 3 4] -> 0=int[4 5 3 7]
kernel void k(device int4 *x) {
    *x += 1;
    *x *= int4(2, 2, 1, 1);
    x->zw -= int2(1, -2);
    x->yx -= int2(1, 0);
}
