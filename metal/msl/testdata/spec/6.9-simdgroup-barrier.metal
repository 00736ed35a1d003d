// simdgroup_barrier does so for the threads of a simdgroup.
#include <metal_stdlib>
using namespace metal;

// run k threads=8 width=4 0=int*8 -> 0=int[3 2 1 0 7 6 5 4]
kernel void k(device int *o, uint i [[thread_position_in_grid]], uint lane [[thread_index_in_simdgroup]]) {
    threadgroup int t[8];
    t[i] = i;
    simdgroup_barrier(mem_flags::mem_threadgroup);
    o[i] = t[i - lane + 3 - lane];
}
