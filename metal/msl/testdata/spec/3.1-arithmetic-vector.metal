// Operators of vectors work component by component, with a scalar for all components.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[7 8 -10 10] 1=int[2 3 4 5] 2=int*16 -> 2=int[9 11 -6 15 14 24 -40 50 3 2 -2 2 1 0 -1 1]
kernel void k(device const int4 *x, device const int4 *y, device int4 *o) {
    o[0] = *x + *y;
    o[1] = *x * *y;
    o[2] = *x / *y;
    o[3] = *x % (*y / 2 + 1);
}
