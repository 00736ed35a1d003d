// Kernels of half numbers, which compute in float and round each result once. Host code and claims: half.go.

#include <metal_stdlib>
using namespace metal;

#include "group.h"

// softmax_half writes exp(x-m)/Σexp(x-m) of each row of n numbers, m being its largest. Exponentials are computed twice, since none is stored before the
// division.
//
// Special:  a NaN or +Inf makes its row NaN, as do numbers that are all -Inf.
// Launch:   a threadgroup a row, of any size in one dimension; 4 bytes of threadgroup memory a thread. Barriers: 4.
kernel void softmax_half(device half* dst [[buffer(0)]],
                         device const half* x [[buffer(1)]],
                         constant uint& n [[buffer(2)]],
                         threadgroup float* part [[threadgroup(0)]],
                         uint row [[threadgroup_position_in_grid]],
                         uint j [[thread_position_in_threadgroup]],
                         uint threads [[threads_per_threadgroup]],
                         uint lane [[thread_index_in_simdgroup]],
                         uint group [[simdgroup_index_in_threadgroup]],
                         uint groups [[simdgroups_per_threadgroup]])
{
    device const half* from = x + row * n;
    float m = -INFINITY;
    for (uint i = j; i < n; i += threads) {
        m = fmax(m, float(from[i]));
    }
    m = group_max(m, part, lane, group, groups);
    float s = 0.0f;
    for (uint i = j; i < n; i += threads) {
        s += precise::exp(float(from[i]) - m);
    }
    s = group_sum(s, part, lane, group, groups);
    for (uint i = j; i < n; i += threads) {
        dst[row * n + i] = half(precise::exp(float(from[i]) - m) / s);
    }
}

// rms_norm_half writes x/√(Σx²/n + epsilon)·gamma for each row of n numbers.
//
// Special:  a NaN makes its row NaN; an infinity makes its row 0 and itself NaN.
// Launch:   a threadgroup a row, of any size in one dimension; 4 bytes of threadgroup memory a thread. Barriers: 2.
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
        float v = float(from[i]);
        s += v * v;
    }
    float scale = rsqrt(group_sum(s, part, lane, group, groups) / float(n) + 1e-5f);
    for (uint i = j; i < n; i += threads) {
        dst[row * n + i] = half(float(from[i]) * scale * float(gamma[i]));
    }
}

// gelu_half writes x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))).
//
// Special:  -Inf·0 is NaN; NaN gives NaN.
// Launch:   a thread a number, and more. Barriers: none.
kernel void gelu_half(device half* dst [[buffer(0)]],
                      device const half* x [[buffer(1)]],
                      constant uint& n [[buffer(2)]],
                      uint i [[thread_position_in_grid]])
{
    if (i < n) {
        float v = float(x[i]);
        dst[i] = half(0.5f * v * (1.0f + precise::tanh(0.7978845608f * (v + 0.044715f * (v * v * v)))));
    }
}

// product_half writes a·b for a of m by k and b of k by n, row by row: each threadgroup makes a tile of the result from tiles of a and b in threadgroup
// memory, and each thread adds its products, which are exact, from the left, in float.
//
// Error:    (k-1)·u·Σ|a·b|, u = 2^-24, and one rounding to half.
// Launch:   8 by 8 threads a tile of 8 by 8. Barriers: 2 for each 8 columns of a.
kernel void product_half(device half* dst [[buffer(0)]],
                         device const half* a [[buffer(1)]],
                         device const half* b [[buffer(2)]],
                         constant uint& m [[buffer(3)]],
                         constant uint& k [[buffer(4)]],
                         constant uint& n [[buffer(5)]],
                         uint2 at [[thread_position_in_grid]],
                         uint2 in [[thread_position_in_threadgroup]])
{
    threadgroup half left[8][8];
    threadgroup half right[8][8];
    float s = 0.0f;
    for (uint l = 0; l < k; l += 8) {
        left[in.y][in.x] = at.y < m && l + in.x < k ? a[at.y * k + l + in.x] : half(0.0h);
        right[in.y][in.x] = l + in.y < k && at.x < n ? b[(l + in.y) * n + at.x] : half(0.0h);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint i = 0; i < min(8u, k - l); i++) {
            s += float(left[in.y][i]) * float(right[i][in.x]);
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (at.y < m && at.x < n) {
        dst[at.y * n + at.x] = half(s);
    }
}
