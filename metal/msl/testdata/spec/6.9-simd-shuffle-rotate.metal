// Rotations by lanes.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 width=4 0=int[10 20 30 40] 1=int*8 -> 1=int[40 10 20 30 20 30 40 10]
kernel void k(device const int *x, device int *o, uint i [[thread_position_in_grid]]) {
    o[i] = simd_shuffle_rotate_up(x[i], 1);
    o[4 + i] = simd_shuffle_rotate_down(x[i], 1);
}
