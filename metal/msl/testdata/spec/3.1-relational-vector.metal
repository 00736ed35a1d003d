// Comparisons of vectors give a vector of bool.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[1 2 3 4] 1=int[4 2 3 1] 2=int*16 -> 2=int[1 0 0 0 1 1 1 0 0 1 1 0 0 0 1 1]
kernel void k(device const int4 *x, device const int4 *y, device int4 *o) {
    bool4 lt = *x < *y;
    o[0] = int4(lt);
    o[1] = int4(*x <= *y);
    o[2] = int4(*x == *y);
    o[3] = int4(*x >= 3);
}
