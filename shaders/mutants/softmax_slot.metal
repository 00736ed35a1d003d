// The sums of simdgroups are written where a thread may not yet have read the maxima.

#include <metal_stdlib>
using namespace metal;

kernel void softmax(device float* dst [[buffer(0)]],
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
    device float* to = dst + row * n;
    float m = -INFINITY;
    for (uint i = j; i < n; i += threads) {
        m = fmax(m, from[i]);
    }
    m = simd_max(m);
    if (lane == 0) {
        part[group] = m;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    m = part[0];
    for (uint g = 1; g < groups; g++) {
        m = fmax(m, part[g]);
    }
    float s = 0.0f;
    for (uint i = j; i < n; i += threads) {
        float e = precise::exp(from[i] - m);
        to[i] = e;
        s += e;
    }
    s = simd_sum(s);
    if (lane == 0) {
        part[group] = s;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s = part[0];
    for (uint g = 1; g < groups; g++) {
        s += part[g];
    }
    for (uint i = j; i < n; i += threads) {
        to[i] = to[i] / s;
    }
}
