// atomic_bool is loaded, stored and exchanged.
#include <metal_stdlib>
using namespace metal;

// run k 0=bool[0 1 0 1] 1=int*3 -> 0=bool[1 1 1 0] 1=int[1 0 1]
kernel void k(device atomic_bool *a, device int *o) {
    atomic_store_explicit(a, true, memory_order_relaxed);
    o[0] = atomic_load_explicit(a + 1, memory_order_relaxed);
    o[1] = atomic_exchange_explicit(a + 2, true, memory_order_relaxed);
    bool expected = true;
    while (!atomic_compare_exchange_weak_explicit(a + 3, &expected, false, memory_order_relaxed, memory_order_relaxed)) {}
    o[2] = expected;
}
