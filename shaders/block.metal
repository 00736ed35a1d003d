// Kernels of rows that hold blocks of four numbers a thread in registers, and combine threads by simdgroups first. Host code and claims: block.go.

#include <metal_stdlib>
using namespace metal;

// block_max returns the greatest of v over a threadgroup's threads: by simdgroup, and then of those by the first simdgroup, which is full unless it is the
// only one. part may be used again after it.
//
// Special:  NaN is passed over.
// Launch:   4 bytes of threadgroup memory a simdgroup, at part. Barriers: 3.
inline float block_max(float v, threadgroup float* part, uint lane, uint width, uint group, uint groups)
{
    v = simd_max(v);
    if (lane == 0) {
        part[group] = v;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (group == 0) {
        float m = -INFINITY;
        for (uint g = lane; g < groups; g += width) {
            m = fmax(m, part[g]);
        }
        m = simd_max(m);
        if (lane == 0) {
            part[0] = m;
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    v = part[0];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return v;
}

// block_sum returns the sum of v over a threadgroup's threads, as block_max the greatest.
//
// Launch:   as block_max.
inline float block_sum(float v, threadgroup float* part, uint lane, uint width, uint group, uint groups)
{
    v = simd_sum(v);
    if (lane == 0) {
        part[group] = v;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (group == 0) {
        float s = 0.0f;
        for (uint g = lane; g < groups; g += width) {
            s += part[g];
        }
        s = simd_sum(s);
        if (lane == 0) {
            part[0] = s;
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    v = part[0];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return v;
}

// softmax_block writes exp(x-m)/Σexp(x-m) of each row of n numbers, m being its largest: each thread reads four neighbouring numbers once.
//
// Special:  a NaN or +Inf makes its row NaN, as do numbers that are all -Inf.
// Launch:   a threadgroup a row, of n/4 threads or more in one dimension; 4 bytes of threadgroup memory a thread. Barriers: 6.
kernel void softmax_block(device float* dst [[buffer(0)]],
                          device const float* x [[buffer(1)]],
                          constant uint& n [[buffer(2)]],
                          threadgroup float* part [[threadgroup(0)]],
                          uint row [[threadgroup_position_in_grid]],
                          uint j [[thread_position_in_threadgroup]],
                          uint lane [[thread_index_in_simdgroup]],
                          uint width [[threads_per_simdgroup]],
                          uint group [[simdgroup_index_in_threadgroup]],
                          uint groups [[simdgroups_per_threadgroup]])
{
    uint first = 4 * j;
    float v[4];
    for (uint i = 0; i < 4; i++) {
        v[i] = first + i < n ? x[row * n + first + i] : -INFINITY;
    }
    float m = block_max(fmax(fmax(v[0], v[1]), fmax(v[2], v[3])), part, lane, width, group, groups);
    float s = 0.0f;
    for (uint i = 0; i < 4; i++) {
        v[i] = first + i < n ? precise::exp(v[i] - m) : 0.0f;
        s += v[i];
    }
    s = block_sum(s, part, lane, width, group, groups);
    for (uint i = 0; i < 4; i++) {
        if (first + i < n) {
            dst[row * n + first + i] = v[i] / s;
        }
    }
}

// cumsum_block writes x_0 + … + x_i of each row of n numbers, block by block of four numbers a thread: threads add up their own, simdgroups scan the sums of
// their threads, and the first thread those of simdgroups, from the last block's sum on.
//
// Error:    ((1+v)^h - 1)·Σ|x_j| up to i, h = 4 + w + g·⌈n/4t⌉ for t threads in g simdgroups of w, v = u/(1+u) [Gamma T2].
// Special:  as in IEEE 754.
// Launch:   a threadgroup a row, of any size in one dimension; 8 bytes of threadgroup memory a thread. Barriers: 3 a block.
kernel void cumsum_block(device float* dst [[buffer(0)]],
                         device const float* x [[buffer(1)]],
                         constant uint& n [[buffer(2)]],
                         threadgroup float* part [[threadgroup(0)]],
                         uint row [[threadgroup_position_in_grid]],
                         uint j [[thread_position_in_threadgroup]],
                         uint threads [[threads_per_threadgroup]],
                         uint lane [[thread_index_in_simdgroup]],
                         uint width [[threads_per_simdgroup]],
                         uint group [[simdgroup_index_in_threadgroup]],
                         uint groups [[simdgroups_per_threadgroup]])
{
    float carry = -0.0f; // to which any number adds up to itself
    for (uint start = 0; start < n; start += 4 * threads) {
        uint first = start + 4 * j;
        float v[4];
        for (uint i = 0; i < 4; i++) {
            float one = first + i < n ? x[row * n + first + i] : -0.0f;
            v[i] = i == 0 ? one : v[i - 1] + one;
        }
        float through = simd_prefix_inclusive_sum(v[3]);
        float before = simd_shuffle_up(through, 1);
        if (lane == 0) {
            before = -0.0f;
        }
        if (lane == width - 1 || j == threads - 1) {
            part[group] = through;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (j == 0) {
            float s = carry;
            for (uint g = 0; g < groups; g++) {
                float sum = part[g];
                part[g] = s;
                s += sum;
            }
            part[groups] = s;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        before = part[group] + before;
        carry = part[groups];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint i = 0; i < 4; i++) {
            if (first + i < n) {
                dst[row * n + first + i] = before + v[i];
            }
        }
    }
}
