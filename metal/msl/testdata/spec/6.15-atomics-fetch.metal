// Each fetch-and-modify function gives the value before.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[10 10 10 10] 1=uint[12 12 12] 2=int*7 -> 0=int[13 8 -3 15] 1=uint[8 14 6] 2=int[10 10 10 10 12 12 12]
kernel void k(device atomic_int *a, device atomic_uint *b, device int *o) {
    o[0] = atomic_fetch_add_explicit(a, 3, memory_order_relaxed);
    o[1] = atomic_fetch_sub_explicit(a + 1, 2, memory_order_relaxed);
    o[2] = atomic_fetch_min_explicit(a + 2, -3, memory_order_relaxed);
    o[3] = atomic_fetch_max_explicit(a + 3, 15, memory_order_relaxed);
    o[4] = atomic_fetch_and_explicit(b, 10u, memory_order_relaxed);
    o[5] = atomic_fetch_or_explicit(b + 1, 10u, memory_order_relaxed);
    o[6] = atomic_fetch_xor_explicit(b + 2, 10u, memory_order_relaxed);
}
