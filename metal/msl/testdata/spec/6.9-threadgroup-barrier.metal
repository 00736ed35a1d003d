// threadgroup_barrier makes writes of all threads of a threadgroup visible to all of them, in threadgroup and in device memory.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 0=int[1 2 3 4] 1=int*4 -> 1=int[41 32 23 14]
kernel void k(device int *x, device int *o, uint i [[thread_position_in_grid]]) {
    threadgroup int t[4];
    t[i] = x[i];
    x[i] *= 10;
    threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_device);
    o[i] = x[3 - i] + t[i];
}
