// atomic_ulong in device memory takes minima and maxima.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 0=ulong[5 0xf00000000 3] -> 0=ulong[0x300000000 2 3]
kernel void k(device atomic_ulong *a, uint i [[thread_position_in_grid]]) {
    atomic_max_explicit(a, ulong(i) << 32, memory_order_relaxed);
    atomic_min_explicit(a + 1, ulong(i + 2), memory_order_relaxed);
}
