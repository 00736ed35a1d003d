// simd_all, simd_any, simd_ballot, simd_active_threads_mask, simd_is_first.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 width=4 0=uint*6 -> 0=uint[0 1 10 15 10 1]
kernel void k(device uint *o, uint i [[thread_position_in_grid]]) {
    bool all = simd_all(i < 3), any = simd_any(i == 3);
    simd_vote odd = simd_ballot(i % 2 == 1), active = simd_active_threads_mask();
    if (i == 0) {
        o[0] = all;
        o[1] = any;
        o[2] = uint(simd_vote::vote_t(odd));
        o[3] = uint((simd_vote::vote_t)active);
    }
    if (i % 2) {
        uint mask = uint((simd_vote::vote_t)simd_active_threads_mask());
        if (simd_is_first()) o[4] = mask;
    } else if (simd_is_first()) o[5] = 1;
}
