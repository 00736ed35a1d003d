// Squares are rounded to half, and overflow above 255.

#include <metal_stdlib>
using namespace metal;

// joined returns the sum of v over a threadgroup's threads: by simdgroup, and those of simdgroups from the left. part may be used again after it.
inline float joined(float v, threadgroup float* part, uint lane, uint group, uint groups)
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

kernel void rms_norm_half(device half* dst [[buffer(0)]],
                          device const half* x [[buffer(1)]],
                          device const half* gamma [[buffer(2)]],
                          constant uint& n [[buffer(3)]],
                          threadgroup float* part [[threadgroup(0)]],
                          uint row [[threadgroup_position_in_grid]],
                          uint j [[thread_position_in_threadgroup]],
                          uint threads [[threads_per_threadgroup]],
                          uint lane [[thread_index_in_simdgroup]],
                          uint group [[simdgroup_index_in_threadgroup]],
                          uint groups [[simdgroups_per_threadgroup]])
{
    device const half* from = x + row * n;
    float s = 0.0f;
    for (uint i = j; i < n; i += threads) {
        half v = from[i];
        s += float(v * v);
    }
    float scale = rsqrt(joined(s, part, lane, group, groups) / float(n) + 1e-5f);
    for (uint i = j; i < n; i += threads) {
        dst[row * n + i] = half(float(from[i]) * scale * float(gamma[i]));
    }
}
