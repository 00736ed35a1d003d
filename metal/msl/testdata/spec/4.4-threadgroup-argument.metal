// The host says how long an argument in threadgroup memory is.
#include <metal_stdlib>
using namespace metal;

// run k threads=3 0=float[1 2 3] t0=16 -> 0=float[6 6 6]
kernel void k(device float *x [[buffer(0)]], threadgroup float *t [[threadgroup(0)]], uint i [[thread_position_in_threadgroup]]) {
    t[i] = x[i];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    x[i] = t[0] + t[1] + t[2];
}
