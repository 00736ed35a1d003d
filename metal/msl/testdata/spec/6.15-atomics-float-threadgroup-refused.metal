// Floats are atomic in device memory alone.
// refused: atomic_float in device memory
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *o) {
    threadgroup atomic_float t;
    atomic_store_explicit(&t, 1.0f, memory_order_relaxed);
    *o = 1;
}
