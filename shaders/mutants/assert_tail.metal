// The source asserts that every thread has as many elements as the others, which the launch does not see to. The sum is right all the
// same.

#include <metal_stdlib>
#include <metal_assert>
using namespace metal;

#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#else
#pragma clang fp reassociate(off)
#pragma clang fp contract(off)
#endif

kernel void sum_tree(device const float* x [[buffer(0)]],
                     device float* out [[buffer(1)]],
                     constant uint& n [[buffer(2)]],
                     threadgroup float* partial [[threadgroup(0)]],
                     uint gid [[thread_position_in_grid]],
                     uint threads [[threads_per_grid]],
                     uint lid [[thread_index_in_threadgroup]],
                     uint width [[threads_per_threadgroup]],
                     uint group [[threadgroup_position_in_grid]])
{
    assert(n % threads == 0);
    float s = -0.0f;
    for (uint i = gid; i < n; i += threads) {
        s += x[i];
    }
    partial[lid] = s;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint half_width = width / 2; half_width > 0; half_width /= 2) {
        if (lid < half_width) {
            partial[lid] += partial[lid + half_width];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (lid == 0) {
        out[group] = partial[0];
    }
}
