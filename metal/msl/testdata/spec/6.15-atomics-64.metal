// Minima and maxima of 64 bits.
#include <metal_stdlib>
using namespace metal;

// run k threads=3 0=ulong[0 0xffffffffffffffff] -> 0=ulong[0x200000007 7]
kernel void k(device atomic_ulong *a, uint i [[thread_position_in_grid]]) {
    ulong x = (ulong(i) << 32) + 7;
    atomic_max_explicit(&a[0], x, memory_order_relaxed);
    atomic_min_explicit(&a[1], x, memory_order_relaxed);
}
