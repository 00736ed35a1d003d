// Lanes that have no other keep their own value where it is asked for only by those that have one.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 width=4 0=int[10 20 30 40] 1=int*8 -> 1=int[0 10 20 30 20 30 40 0]
kernel void k(device const int *x, device int *o, uint i [[thread_position_in_grid]]) {
    int up = simd_shuffle_up(x[i], 1), down = simd_shuffle_down(x[i], 1);
    o[i] = i > 0 ? up : 0;
    o[4 + i] = i < 3 ? down : 0;
}
