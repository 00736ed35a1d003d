// With a modulo, groups of that many lanes are shuffled each on its own.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 width=4 0=int[10 20 30 40] 1=int[1 2 3 4] 2=int*4 -> 2=int[2 10 4 30]
kernel void k(device const int *x, device const int *y, device int *o, uint i [[thread_position_in_grid]]) {
    o[i] = simd_shuffle_and_fill_up(x[i], y[i], 1, 2);
}
