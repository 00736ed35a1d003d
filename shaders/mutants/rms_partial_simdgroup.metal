// The sums of whole simdgroups are added, and that of a last one that is not whole is left out.

#include <metal_stdlib>
using namespace metal;

inline float total(float v, threadgroup float* part, uint lane, uint group, uint groups, uint whole)
{
    float s = simd_sum(v);
    if (lane == 0) {
        part[group] = s;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s = part[0];
    for (uint g = 1; g < max(whole, 1u); g++) {
        s += part[g];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return s;
}

kernel void rms_norm(device float* dst [[buffer(0)]],
                     device const float* x [[buffer(1)]],
                     device const float* residual [[buffer(2)]],
                     device const float* gamma [[buffer(3)]],
                     constant uint& n [[buffer(4)]],
                     device float* stream [[buffer(5)]],
                     threadgroup float* part [[threadgroup(0)]],
                     uint row [[threadgroup_position_in_grid]],
                     uint j [[thread_position_in_threadgroup]],
                     uint threads [[threads_per_threadgroup]],
                     uint lane [[thread_index_in_simdgroup]],
                     uint group [[simdgroup_index_in_threadgroup]],
                     uint groups [[simdgroups_per_threadgroup]],
                     uint width [[threads_per_simdgroup]])
{
    uint at = row * n;
    float s = 0.0f;
    for (uint i = j; i < n; i += threads) {
        float h = x[at + i] + residual[at + i];
        stream[at + i] = h;
        s += h * h;
    }
    float scale = rsqrt(total(s, part, lane, group, groups, threads / width) / float(n) + 1e-5f);
    for (uint i = j; i < n; i += threads) {
        dst[at + i] = stream[at + i] * scale * gamma[i];
    }
}
