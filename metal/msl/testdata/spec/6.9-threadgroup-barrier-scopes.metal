// A barrier's flags alone and together.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 0=int*4 -> 0=int[3 2 1 0]
kernel void k(device int *o, uint i [[thread_position_in_grid]]) {
    threadgroup int t[4];
    t[i] = i;
    threadgroup_barrier(mem_flags::mem_none);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    o[3 - i] = t[i];
    threadgroup_barrier(mem_flags::mem_device);
    threadgroup_barrier(mem_flags::mem_texture);
}
