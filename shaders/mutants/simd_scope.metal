// One simd_sum is taken for the sum of the threadgroup, and it adds one simdgroup (report B01).

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
                     uint lid [[thread_index_in_threadgroup]],
                     uint threads [[threads_per_threadgroup]])
{
    float s = -0.0f;
    for (uint i = lid; i < n; i += threads) {
        s += x[i];
    }
    s = simd_sum(s);
    if (lid == 0) {
        out[0] = s;
    }
}
