// Loads, stores and exchanges of 32 bits.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[3 4] 1=uint[5] 2=int*3 -> 0=int[7 9] 1=uint[6] 2=int[3 4 5]
kernel void k(device atomic_int *a, device atomic_uint *b, device int *o) {
    o[0] = atomic_load_explicit(a, memory_order_relaxed);
    atomic_store_explicit(a, 7, memory_order_relaxed);
    o[1] = atomic_exchange_explicit(&a[1], 9, memory_order_relaxed);
    o[2] = atomic_fetch_add_explicit(b, 1u, memory_order_relaxed);
}
