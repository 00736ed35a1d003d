// Prefix sums and products, with and without the own value.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 width=4 0=int[1 2 3 4] 1=int*16 -> 1=int[1 3 6 10 0 1 3 6 1 2 6 24 1 1 2 6]
kernel void k(device const int *x, device int *o, uint i [[thread_position_in_grid]]) {
    o[i] = simd_prefix_inclusive_sum(x[i]);
    o[4 + i] = simd_prefix_exclusive_sum(x[i]);
    o[8 + i] = simd_prefix_inclusive_product(x[i]);
    o[12 + i] = simd_prefix_exclusive_product(x[i]);
}
