// Nothing is wrong with the code; the claim is, which says that every order of the threads gives the same
// bits.

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
                       device atomic_float* out [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       uint gid [[thread_position_in_grid]])
{
    if (gid < n) {
        atomic_fetch_add_explicit(out, x[gid], memory_order_relaxed);
    }
}
