// Atomics themselves are relaxed before Metal 4.1.
// refused: memory_order_relaxed
#include <metal_stdlib>
using namespace metal;

kernel void k(device atomic_int *a) { atomic_store_explicit(a, 1, memory_order_seq_cst); }
