// simd_broadcast gives the value of a lane, simd_broadcast_first that of the first active one.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 width=4 0=int[10 20 30 40] 1=int*4 -> 1=int[31 20 31 20]
kernel void k(device const int *x, device int *o, uint i [[thread_position_in_grid]]) {
    int v = simd_broadcast(x[i], 2);
    if (i % 2) o[i] = simd_broadcast_first(x[i]);
    else o[i] = v + 1;
}
