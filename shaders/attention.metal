// One-head attention. Host code and claims: attention.go.

#include <metal_stdlib>
using namespace metal;

// attend writes Σ_j p_j·v_j of one query, p being the softmax of the scores q·k_j/√d of the first seen of s keys. Keys are dealt out to the threads, and then
// columns of v; the maximum and the sum of exponentials are from the left, in each thread for itself.
inline void attend(device float* to, device const float* q, device const float* k, device const float* v, uint seen, uint d, uint e, threadgroup float* scores,
                   uint j, uint threads)
{
    float scale = 1.0f / precise::sqrt(float(d));
    for (uint i = j; i < seen; i += threads) {
        float s = 0.0f;
        for (uint l = 0; l < d; l++) {
            s += q[l] * k[i * d + l];
        }
        scores[i] = s * scale;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float m = -INFINITY;
    for (uint i = 0; i < seen; i++) {
        m = fmax(m, scores[i]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = j; i < seen; i += threads) {
        scores[i] = precise::exp(scores[i] - m);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float total = 0.0f;
    for (uint i = 0; i < seen; i++) {
        total += scores[i];
    }
    for (uint c = j; c < e; c += threads) {
        float s = 0.0f;
        for (uint i = 0; i < seen; i++) {
            s += scores[i] / total * v[i * e + c];
        }
        to[c] = s;
    }
}

// attention writes Σ_j p_ij·v_j for each query q_i of d numbers, where p_i is the softmax of the scores q_i·k_j/√d, for s keys k of d numbers and values v
// of e numbers.
//
// Domain:   s, d > 0.
// Special:  a score that is NaN or +Inf makes its query's result NaN.
// Launch:   a threadgroup a query, of any size in one dimension; 4·s bytes of threadgroup memory. Barriers: 3.
kernel void attention(device float* dst [[buffer(0)]],
                      device const float* q [[buffer(1)]],
                      device const float* k [[buffer(2)]],
                      device const float* v [[buffer(3)]],
                      constant uint& s [[buffer(4)]],
                      constant uint& d [[buffer(5)]],
                      constant uint& e [[buffer(6)]],
                      threadgroup float* scores [[threadgroup(0)]],
                      uint i [[threadgroup_position_in_grid]],
                      uint j [[thread_position_in_threadgroup]],
                      uint threads [[threads_per_threadgroup]])
{
    attend(dst + i * e, q + i * d, k, v, s, d, e, scores, j, threads);
}

// attention_causal is attention in which query i sees keys 0 to i alone.
//
// Domain:   s, d > 0.
// Special:  as that of attention, of keys that a query sees; the others, and their values, may be anything.
// Launch:   as that of attention. Barriers: 3.
kernel void attention_causal(device float* dst [[buffer(0)]],
                             device const float* q [[buffer(1)]],
                             device const float* k [[buffer(2)]],
                             device const float* v [[buffer(3)]],
                             constant uint& s [[buffer(4)]],
                             constant uint& d [[buffer(5)]],
                             constant uint& e [[buffer(6)]],
                             threadgroup float* scores [[threadgroup(0)]],
                             uint i [[threadgroup_position_in_grid]],
                             uint j [[thread_position_in_threadgroup]],
                             uint threads [[threads_per_threadgroup]])
{
    attend(dst + i * e, q + i * d, k, v, min(i + 1, s), d, e, scores, j, threads);
}
