// The threads without an element skip the shuffles, and the others take their values all the same (as in
// report B04).

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
    if (lid < n) {
        float s = -0.0f;
        for (uint i = lid; i < n; i += threads) {
            s += x[i];
        }
        for (uint delta = threads / 2; delta > 0; delta /= 2) {
            s += simd_shuffle_down(s, delta);
        }
        if (lid == 0) {
            out[0] = s;
        }
    }
}
