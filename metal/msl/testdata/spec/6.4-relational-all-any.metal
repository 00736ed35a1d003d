// all, any and not of vectors of bool.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[1 2 3 4] 1=int*6 -> 1=int[0 1 1 0 1 1]
kernel void k(device const int4 *x, device int *o) {
    o[0] = all(*x > 1);
    o[1] = any(*x > 3);
    o[2] = all(*x > 0);
    o[3] = any(*x > 4);
    o[4] = all(not(*x > 4));
    o[5] = any(!(*x > 1));
}
