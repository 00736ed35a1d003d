// Norms of rows. Host code and claims: norm.go.

#include <metal_stdlib>
using namespace metal;

#include "group.h"

// rms_norm writes h = x + residual to stream, and h/√(Σh²/n + epsilon)·gamma to dst, for each row of n numbers.
//
// Special:  a NaN makes its row NaN; an infinity makes its row 0 and itself NaN, as does a sum that overflows.
// Launch:   a threadgroup a row, of any size in one dimension; 4 bytes of threadgroup memory a thread. Barriers: 2.
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
                     uint groups [[simdgroups_per_threadgroup]])
{
    uint at = row * n;
    float s = 0.0f;
    for (uint i = j; i < n; i += threads) {
        float h = x[at + i] + residual[at + i];
        stream[at + i] = h;
        s += h * h;
    }
    float scale = rsqrt(group_sum(s, part, lane, group, groups) / float(n) + 1e-5f);
    for (uint i = j; i < n; i += threads) {
        dst[at + i] = stream[at + i] * scale * gamma[i];
    }
}

// layer_norm_rows writes (x-μ)/√(σ² + epsilon)·gamma + beta of each row of n numbers, with the mean μ and the variance σ² in two passes.
//
// Special:  a number that is not finite makes its row NaN.
// Launch:   a threadgroup a row, of any size in one dimension; 4 bytes of threadgroup memory a thread. Barriers: 4.
template <typename T>
kernel void layer_norm_rows_of(device T* dst [[buffer(0)]],
                               device const T* x [[buffer(1)]],
                               device const T* gamma [[buffer(2)]],
                               device const T* beta [[buffer(3)]],
                               constant uint& n [[buffer(4)]],
                               threadgroup float* part [[threadgroup(0)]],
                               uint row [[threadgroup_position_in_grid]],
                               uint j [[thread_position_in_threadgroup]],
                               uint threads [[threads_per_threadgroup]],
                               uint lane [[thread_index_in_simdgroup]],
                               uint group [[simdgroup_index_in_threadgroup]],
                               uint groups [[simdgroups_per_threadgroup]])
{
    device const T* from = x + row * n;
    device T* to = dst + row * n;
    float s = 0.0f;
    for (uint i = j; i < n; i += threads) {
        s += float(from[i]);
    }
    float mean = group_sum(s, part, lane, group, groups) / float(n);
    s = 0.0f;
    for (uint i = j; i < n; i += threads) {
        float d = float(from[i]) - mean;
        s += d * d;
    }
    float scale = rsqrt(group_sum(s, part, lane, group, groups) / float(n) + 1e-5f);
    for (uint i = j; i < n; i += threads) {
        to[i] = T((float(from[i]) - mean) * scale * float(gamma[i]) + float(beta[i]));
    }
}

template [[host_name("layer_norm_rows")]] [[kernel]] decltype(layer_norm_rows_of<float>) layer_norm_rows_of<float>;
template [[host_name("layer_norm_rows_half")]] [[kernel]] decltype(layer_norm_rows_of<half>) layer_norm_rows_of<half>;

// l2_normalize writes x/√Σx² for each row of n numbers.
//
// Special:  zeros alone give NaN; where squares overflow the row is 0.
// Launch:   a threadgroup a row, of any size in one dimension; 4 bytes of threadgroup memory a thread. Barriers: 2.
template <typename T>
kernel void l2_normalize_of(device T* dst [[buffer(0)]],
                            device const T* x [[buffer(1)]],
                            constant uint& n [[buffer(2)]],
                            threadgroup float* part [[threadgroup(0)]],
                            uint row [[threadgroup_position_in_grid]],
                            uint j [[thread_position_in_threadgroup]],
                            uint threads [[threads_per_threadgroup]],
                            uint lane [[thread_index_in_simdgroup]],
                            uint group [[simdgroup_index_in_threadgroup]],
                            uint groups [[simdgroups_per_threadgroup]])
{
    device const T* from = x + row * n;
    float s = 0.0f;
    for (uint i = j; i < n; i += threads) {
        s += float(from[i]) * float(from[i]);
    }
    float norm = precise::sqrt(group_sum(s, part, lane, group, groups));
    for (uint i = j; i < n; i += threads) {
        dst[row * n + i] = T(float(from[i]) / norm);
    }
}

template [[host_name("l2_normalize")]] [[kernel]] decltype(l2_normalize_of<float>) l2_normalize_of<float>;
template [[host_name("l2_normalize_half")]] [[kernel]] decltype(l2_normalize_of<half>) l2_normalize_of<half>;
