// A loop of compare-and-exchange asks by a comparison of floats whether it succeeded, and never ends once the
// sum is NaN (report B17).

#include <metal_stdlib>
using namespace metal;

#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#else
#pragma clang fp reassociate(off)
#pragma clang fp contract(off)
#endif

kernel void sum_atomic(device const float* x [[buffer(0)]],
                       device atomic_uint* out [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       uint gid [[thread_position_in_grid]])
{
    if (gid < n) {
        uint seen = atomic_load_explicit(out, memory_order_relaxed);
        uint old;
        do {
            old = seen;
            float s = as_type<float>(old) + x[gid];
            atomic_compare_exchange_weak_explicit(out, &seen, as_type<uint>(s), memory_order_relaxed, memory_order_relaxed);
        } while (as_type<float>(seen) != as_type<float>(old));
    }
}
