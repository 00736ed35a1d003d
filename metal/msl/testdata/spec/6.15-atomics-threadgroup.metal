// Atomics in threadgroup memory.
#include <metal_stdlib>
using namespace metal;

// run k threads=8 0=uint*2 -> 0=uint[28 7]
kernel void k(device uint *o, uint i [[thread_position_in_grid]]) {
    threadgroup atomic_uint sum, most;
    if (i == 0) {
        atomic_store_explicit(&sum, 0, memory_order_relaxed);
        atomic_store_explicit(&most, 0, memory_order_relaxed);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    atomic_fetch_add_explicit(&sum, i, memory_order_relaxed);
    atomic_fetch_max_explicit(&most, i, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (i == 0) {
        o[0] = atomic_load_explicit(&sum, memory_order_relaxed);
        o[1] = atomic_load_explicit(&most, memory_order_relaxed);
    }
}
