// Nothing is wrong with the code; the claim is, which says in which order simd_sum adds.

#include <metal_stdlib>
using namespace metal;

#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#else
#pragma clang fp reassociate(off)
#pragma clang fp contract(off)
#endif

kernel void sum_simd(device const float* x [[buffer(0)]],
                     device float* out [[buffer(1)]],
                     constant uint& n [[buffer(2)]],
                     threadgroup float* partial [[threadgroup(0)]],
                     uint lid [[thread_index_in_threadgroup]],
                     uint threads [[threads_per_threadgroup]],
                     uint lane [[thread_index_in_simdgroup]],
                     uint lanes [[threads_per_simdgroup]],
                     uint simdgroup [[simdgroup_index_in_threadgroup]],
                     uint simdgroups [[simdgroups_per_threadgroup]])
{
    float s = -0.0f;
    for (uint i = lid; i < n; i += threads) {
        s += x[i];
    }
    s = simd_sum(s);
    if (lane == 0) {
        partial[simdgroup] = s;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (simdgroup == 0) {
        float t = -0.0f;
        for (uint i = lane; i < simdgroups; i += lanes) {
            t += partial[i];
        }
        t = simd_sum(t);
        if (lane == 0) {
            out[0] = t;
        }
    }
}
