// Components by number, constant or not.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 0=int[5 6 7 8] 1=int*4 -> 1=int[5 7 9 16]
kernel void k(device const int4 *x, device int *o, uint i [[thread_position_in_grid]]) {
    int4 v = *x;
    v[3] = v[0] + v[3];
    v[i] += i;
    o[i] = v[i];
}
