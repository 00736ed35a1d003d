// Softmax of rows, and the logarithm of its sum. Host code and claims: softmax.go.

#include <metal_stdlib>
using namespace metal;

#include "group.h"

// softmax writes exp(x-m)/Σexp(x-m) of each row of n numbers, m being its largest.
//
// Special:  a NaN or +Inf makes its row NaN, as do numbers that are all -Inf.
// Launch:   a threadgroup a row, of any size in one dimension; 4 bytes of threadgroup memory a thread. Barriers: 4.
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
    m = group_max(m, part, lane, group, groups);
    float s = 0.0f;
    for (uint i = j; i < n; i += threads) {
        float e = precise::exp(from[i] - m);
        to[i] = e;
        s += e;
    }
    s = group_sum(s, part, lane, group, groups);
    for (uint i = j; i < n; i += threads) {
        to[i] = to[i] / s;
    }
}

// log_sum_exp writes m + ln(Σexp(x-m)) of each row of n numbers, m being its largest.
//
// Domain:   n > 0.
// Special:  a NaN or +Inf gives NaN, as do numbers that are all -Inf.
// Launch:   a threadgroup a row, of any size in one dimension; 4 bytes of threadgroup memory a thread. Barriers: 4.
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
    m = group_max(m, part, lane, group, groups);
    float s = 0.0f;
    for (uint i = j; i < n; i += threads) {
        s += precise::exp(from[i] - m);
    }
    s = group_sum(s, part, lane, group, groups);
    if (j == 0) {
        dst[row] = m + precise::log(s);
    }
}
