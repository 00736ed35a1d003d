// One-head attention. Host code and claims: attention.go.

#include <metal_stdlib>
using namespace metal;

// attend writes Σ_j p_j·v_j of one query, p being the softmax of the scores q·k_j/√d of the first seen of s keys. Keys are dealt out to the threads, and then
// columns of v; the maximum and the sum of exponentials are from the left, in each thread for itself.
template <typename T>
inline void attend(device T* to, device const T* q, device const T* k, device const T* v, uint seen, uint d, uint e, threadgroup float* scores, uint j,
                   uint threads)
{
    float scale = 1.0f / precise::sqrt(float(d));
    for (uint i = j; i < seen; i += threads) {
        float s = 0.0f;
        for (uint l = 0; l < d; l++) {
            s += float(q[l]) * float(k[i * d + l]);
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
            s += scores[i] / total * float(v[i * e + c]);
        }
        to[c] = T(s);
    }
}

// attention writes Σ_j p_ij·v_j for each query q_i of d numbers, where p_i is the softmax of the scores q_i·k_j/√d, for s keys k of d numbers and values v
// of e numbers.
//
// Domain:   s, d > 0.
// Special:  a score that is NaN or +Inf makes its query's result NaN.
// Launch:   a threadgroup a query, of any size in one dimension; 4·s bytes of threadgroup memory. Barriers: 3.
template <typename T>
kernel void attention_of(device T* dst [[buffer(0)]],
                         device const T* q [[buffer(1)]],
                         device const T* k [[buffer(2)]],
                         device const T* v [[buffer(3)]],
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

template [[host_name("attention")]] [[kernel]] decltype(attention_of<float>) attention_of<float>;
template [[host_name("attention_half")]] [[kernel]] decltype(attention_of<half>) attention_of<half>;

// attention_causal is attention in which query i sees keys 0 to i alone.
//
// Domain:   s, d > 0.
// Special:  as that of attention, of keys that a query sees; the others, and their values, may be anything.
// Launch:   as that of attention. Barriers: 3.
template <typename T>
kernel void attention_causal_of(device T* dst [[buffer(0)]],
                                device const T* q [[buffer(1)]],
                                device const T* k [[buffer(2)]],
                                device const T* v [[buffer(3)]],
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

template [[host_name("attention_causal")]] [[kernel]] decltype(attention_causal_of<float>) attention_causal_of<float>;
template [[host_name("attention_causal_half")]] [[kernel]] decltype(attention_causal_of<half>) attention_causal_of<half>;
