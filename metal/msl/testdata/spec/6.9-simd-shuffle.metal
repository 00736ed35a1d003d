// simd_shuffle of any lane, and by xor.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 width=4 0=int[10 20 30 40] 1=int*8 -> 1=int[40 30 20 10 20 10 40 30]
kernel void k(device const int *x, device int *o, uint i [[thread_position_in_grid]]) {
    o[i] = simd_shuffle(x[i], ushort(3 - i));
    o[4 + i] = simd_shuffle_xor(x[i], 1);
}
