// atomic_thread_fence with flags, orders and scopes.
#include <metal_stdlib>
using namespace metal;

// run k threads=2 0=int*2 -> 0=int[1 2]
kernel void k(device int *o, uint i [[thread_position_in_grid]]) {
    o[i] = i + 1;
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
    atomic_thread_fence(mem_flags::mem_threadgroup, memory_order_seq_cst, thread_scope_threadgroup);
    atomic_thread_fence(mem_flags::mem_device | mem_flags::mem_threadgroup, memory_order_relaxed);
    atomic_thread_fence(mem_flags::mem_threadgroup, memory_order_seq_cst, thread_scope_simdgroup);
}
