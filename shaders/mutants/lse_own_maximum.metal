// Each simdgroup subtracts the largest of its own numbers.

#include <metal_stdlib>
using namespace metal;

// total returns the sum of v over a threadgroup's threads: by simdgroup, and those of simdgroups from the left. part may be used again after it.
inline float total(float v, threadgroup float* part, uint lane, uint group, uint groups)
{
    float s = simd_sum(v);
    if (lane == 0) {
        part[group] = s;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s = part[0];
    for (uint g = 1; g < groups; g++) {
        s += part[g];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return s;
}

kernel void log_sum_exp(device float* dst [[buffer(0)]],
                        device const float* x [[buffer(1)]],
                        constant uint& n [[buffer(2)]],
                        threadgroup float* part [[threadgroup(0)]],
                        uint row [[threadgroup_position_in_grid]],
                        uint j [[thread_position_in_threadgroup]],
                        uint threads [[threads_per_threadgroup]],
                        uint lane [[thread_index_in_simdgroup]],
                        uint group [[simdgroup_index_in_threadgroup]],
                        uint groups [[simdgroups_per_threadgroup]])
{
    device const float* from = x + row * n;
    float m = -INFINITY;
    for (uint i = j; i < n; i += threads) {
        m = fmax(m, from[i]);
    }
    m = simd_max(m);
    float s = 0.0f;
    for (uint i = j; i < n; i += threads) {
        s += precise::exp(from[i] - m);
    }
    s = total(s, part, lane, group, groups);
    if (j == 0) {
        dst[row] = m + precise::log(s);
    }
}
