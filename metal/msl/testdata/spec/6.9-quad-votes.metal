// Votes and bitwise functions of quadgroups.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 0=uint*4 -> 0=uint[1 0 5 7]
kernel void k(device uint *o, uint i [[thread_position_in_grid]]) {
    bool any = quad_any(i == 2), all = quad_all(i == 2);
    quad_vote v = quad_ballot(i % 2 == 0);
    uint x = quad_or(i + 4) & quad_and(i | 7);
    if (!quad_is_first()) return;
    o[0] = any;
    o[1] = all;
    o[2] = uint(quad_vote::vote_t(v));
    o[3] = x;
}
