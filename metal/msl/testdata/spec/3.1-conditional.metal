// ?: evaluates one of two; with a vector of bool it chooses by component.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[1 2 3 4] 1=int*6 -> 1=int[5 0 1 -2 3 -4]
kernel void k(device const int4 *x, device int *o) {
    int n = 0;
    o[0] = x->x == 1 ? 5 : n++;
    o[1] = n;
    int4 v = (*x % 2 == 1) ? *x : -*x;
    o[2] = v.x;
    o[3] = v.y;
    o[4] = v.z;
    o[5] = v.w;
}
