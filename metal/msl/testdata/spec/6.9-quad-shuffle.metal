// Shuffles within quadgroups.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 0=int[10 20 30 40] 1=int*24 -> 1=int[40 30 20 10 20 10 40 30 30 30 30 30 40 10 20 30 4 10 20 30 10 30 60 100]
kernel void k(device const int *x, device int *o, uint i [[thread_position_in_grid]]) {
    o[i] = quad_shuffle(x[i], ushort(3 - i));
    o[4 + i] = quad_shuffle_xor(x[i], 1);
    o[8 + i] = quad_broadcast(x[i], 2);
    o[12 + i] = quad_shuffle_rotate_up(x[i], 1);
    o[16 + i] = quad_shuffle_and_fill_up(x[i], int(i + 1), 1);
    o[20 + i] = quad_prefix_inclusive_sum(x[i]);
}
