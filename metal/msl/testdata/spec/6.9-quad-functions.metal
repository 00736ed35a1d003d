// The same for quadgroups, of four threads.
#include <metal_stdlib>
using namespace metal;

// run k threads=8 0=int[1 2 3 4 5 6 7 8] 1=int*8 -> 1=int[10 24 1 4 26 1680 5 8]
kernel void k(device const int *x, device int *o, uint i [[thread_position_in_grid]]) {
    int v[4] = {quad_sum(x[i]), quad_product(x[i]), quad_min(x[i]), quad_max(x[i])};
    o[i] = v[i % 4];
}
