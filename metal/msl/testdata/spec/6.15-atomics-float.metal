// Floats: compared and exchanged, too.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 0=float[1] -> 0=float[16]
kernel void k(device atomic_float *a) {
    float old = atomic_load_explicit(a, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(a, &old, old * 2, memory_order_relaxed, memory_order_relaxed)) {}
}
