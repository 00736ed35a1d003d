// A weak compare-and-exchange that fails puts the value that is there into the expected one.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[5] 1=int*3 -> 0=int[8] 1=int[0 5 5]
kernel void k(device atomic_int *a, device int *o) {
    int expected = 4;
    o[0] = atomic_compare_exchange_weak_explicit(a, &expected, 9, memory_order_relaxed, memory_order_relaxed);
    o[1] = expected;
    while (!atomic_compare_exchange_weak_explicit(a, &expected, 8, memory_order_relaxed, memory_order_relaxed)) {}
    o[2] = expected;
}
