// A variable in threadgroup memory is one for all threads of a threadgroup.
#include <metal_stdlib>
using namespace metal;

// run k groups=2 threads=4 0=int[1 2 3 4 5 6 7 8] -> 0=int[4 3 2 1 8 7 6 5]
kernel void k(device int *x, uint i [[thread_position_in_threadgroup]], uint g [[threadgroup_position_in_grid]]) {
    threadgroup int t[4];
    t[i] = x[4 * g + i];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    x[4 * g + i] = t[3 - i];
}
