// A value is passed from one threadgroup to another by a fence on either side of an atomic; who comes last adds both.
#include <metal_stdlib>
using namespace metal;

// run k groups=2 threads=1 0=int[3 4] 1=uint[0] 2=int*1 -> 2=int[7]
kernel void k(coherent(device) device int *x, device atomic_uint *n, device int *o, uint g [[threadgroup_position_in_grid]]) {
    x[g] += 0;
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
    uint before = atomic_fetch_add_explicit(n, 1, memory_order_relaxed);
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
    if (before == 1) *o = x[0] + x[1];
}
