// Sums, products, minima and maxima over a simdgroup.
#include <metal_stdlib>
using namespace metal;

// run k threads=8 width=4 0=int[1 2 3 4 -5 6 7 8] 1=int*8 -> 1=int[10 24 1 4 16 -1680 -5 8]
kernel void k(device const int *x, device int *o, uint i [[thread_position_in_grid]]) {
    int v[4] = {simd_sum(x[i]), simd_product(x[i]), simd_min(x[i]), simd_max(x[i])};
    o[i] = v[i % 4];
}
