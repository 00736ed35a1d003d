// Softmax of rows. Host code and claim: softmax.go.

#include <metal_stdlib>
using namespace metal;

// softmax writes exp(x-m)/Σexp(x-m) of each row of n numbers, m being its largest: maxima and sums of a threadgroup's threads are joined by
// simdgroup, and those of simdgroups from the left.
//
// Special:  a NaN or +Inf makes its row NaN, as do numbers that are all -Inf.
// Launch:   a threadgroup a row, of any size in one dimension; 4 bytes of threadgroup memory a thread. Barriers: 3.
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
    threadgroup_barrier(mem_flags::mem_threadgroup);
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
