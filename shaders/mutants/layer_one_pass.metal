// The variance is the mean of squares less the square of the mean, which cancels.

#include <metal_stdlib>
using namespace metal;

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

kernel void layer_norm_rows(device float* dst [[buffer(0)]],
                            device const float* x [[buffer(1)]],
                            device const float* gamma [[buffer(2)]],
                            device const float* beta [[buffer(3)]],
                            constant uint& n [[buffer(4)]],
                            threadgroup float* part [[threadgroup(0)]],
                            uint row [[threadgroup_position_in_grid]],
                            uint j [[thread_position_in_threadgroup]],
                            uint threads [[threads_per_threadgroup]],
                            uint lane [[thread_index_in_simdgroup]],
                            uint group [[simdgroup_index_in_threadgroup]],
                            uint groups [[simdgroups_per_threadgroup]])
{
    device const float* from = x + row * n;
    device float* to = dst + row * n;
    float s = 0.0f;
    for (uint i = j; i < n; i += threads) {
        s += from[i];
    }
    float mean = total(s, part, lane, group, groups) / float(n);
    s = 0.0f;
    for (uint i = j; i < n; i += threads) {
        s += from[i] * from[i];
    }
    float scale = rsqrt(total(s, part, lane, group, groups) / float(n) - mean * mean + 1e-5f);
    for (uint i = j; i < n; i += threads) {
        to[i] = (from[i] - mean) * scale * gamma[i] + beta[i];
    }
}
