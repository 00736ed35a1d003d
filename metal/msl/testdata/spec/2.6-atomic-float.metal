// atomic_float in device memory: added to, subtracted from, exchanged.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 0=float[0.5 100 7] 1=float*1 -> 0=float[6.5 94 9] 1=float[7]
kernel void k(device atomic_float *a, device float *o, uint i [[thread_position_in_grid]]) {
    atomic_fetch_add_explicit(a, float(i), memory_order_relaxed);
    atomic_fetch_sub_explicit(a + 1, float(i), memory_order_relaxed);
    if (i == 0) o[0] = atomic_exchange_explicit(a + 2, 9.0f, memory_order_relaxed);
}
