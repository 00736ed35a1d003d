// Lane, simdgroup, and how many there are.
#include <metal_stdlib>
using namespace metal;

// run k threads=8 width=4 0=uint*8 -> 0=uint[2400 2401 2402 2403 2410 2411 2412 2413]
kernel void k(device uint *o, uint lane [[thread_index_in_simdgroup]], uint s [[simdgroup_index_in_threadgroup]],
              uint n [[simdgroups_per_threadgroup]], uint w [[threads_per_simdgroup]], uint i [[thread_position_in_grid]]) {
    o[i] = 1000 * n + 100 * w + 10 * s + lane;
}
