// A simd_vote is made of bits, and is asked whether any are set.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 width=4 0=int*3 -> 0=int[1 0 6]
kernel void k(device int *o, uint i [[thread_position_in_grid]]) {
    simd_vote v = simd_ballot(i == 1 || i == 2), w(0);
    if (i > 0) return;
    o[0] = v.any();
    o[1] = w.any();
    o[2] = int(static_cast<simd_vote::vote_t>(v));
}
