// repeatable
#include <metal_stdlib>
using namespace metal;

kernel void sums(device const float* x [[buffer(0)]], device atomic_float* a [[buffer(1)]], device atomic_uint* n [[buffer(2)]],
                 device float* out [[buffer(3)]], uint i [[thread_position_in_grid]])
{
    atomic_fetch_add_explicit(a, x[i], memory_order_relaxed); // want 5 order threads reach this atomic addition of floats in another order in every run
    atomic_fetch_sub_explicit(a, x[i], memory_order_relaxed); // want 5 order atomic
    out[i] = simd_sum(x[i]);                    // want 14 order in which order simd_sum combines the lanes
    out[i] += simd_prefix_inclusive_sum(x[i]);  // want 15 order simd_prefix_inclusive_sum
    uint old = atomic_load_explicit(n, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(n, &old, as_type<uint>(as_type<float>(old) + x[i]), memory_order_relaxed, memory_order_relaxed)) { // want 13 order this loop adds floats
    }
    simdgroup_float8x8 m, sum;
    simdgroup_load(m, x);
    simdgroup_multiply(sum, m, m); // want 5 order a product of simdgroup matrices
    simdgroup_store(sum, out);
    // Nothing: integers, maxima, shuffles.
    atomic_fetch_add_explicit(n, 1u, memory_order_relaxed);
    while (!atomic_compare_exchange_weak_explicit(n, &old, old + 1, memory_order_relaxed, memory_order_relaxed)) {
    }
    out[i] += simd_max(x[i]) + float(simd_sum(i)) + simd_shuffle_xor(x[i], 1);
}
