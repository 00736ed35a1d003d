// Kernels that read rows once for what others read them twice, in double words, of float and half numbers. Host code and claims: online.go.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

// power returns e^(v-m) for v <= m, and 0 where that is below e^-104 or v-m is NaN.
//
// Error:   2^-35, relative, and 2^-149. v-m is exact, and so are k·L1 and the division by 16, where ln 2 = L1 + L2 within 2^-44, which adds 2^-36.7 for |k| <= 150. |r| is
//          at most 0.0217 after that, and the tail, at most 2^-19.1, has six errors of u in float: 2^-36.5 after four squarings, which multiply by 16. Double
//          words and the terms from r⁷ on add less than 2^-41. The tests reach 2^-36.5.
inline float2 power(float v, float m)
{
    float2 d = two_sum(v, -m);
    if (!(d.x >= -104.0f)) {
        return float2(0.0f, 0.0f);
    }
    float k = rint(d.x * 0x1.715476p0f); // 1/ln 2
    float2 r = dw_plus_dw(dw_plus_fp(d, -k * 0x1.62e4p-1f), two_prod(-k, 0x1.7f7d1cp-20f));
    r = r * 0.0625f;
    float2 square = dw_times_dw2(r, r);
    float tail = r.x * square.x * (1.0f / 6.0f + r.x * (1.0f / 24.0f + r.x * (1.0f / 120.0f + r.x * (1.0f / 720.0f))));
    float2 e = dw_plus_fp(dw_plus_fp(dw_plus_dw(r, square * 0.5f), tail), 1.0f);
    for (uint i = 0; i < 4; i++) {
        e = dw_times_dw2(e, e);
    }
    bool tiny = k < -120.0f; // near the subnormal numbers, which are reached by a last step
    e = e * as_type<float>((int(k) + (tiny ? 191 : 127)) << 23);
    return tiny ? e * 0x1p-64f : e;
}

// joined returns the greater m of two and the sum of exponentials relative to it, for sums (high, low) in y and z beside maxima in x. A sum of 0 is that of
// nothing, and a NaN stays.
inline float3 joined(float3 a, float3 b)
{
    if (b.y == 0.0f) {
        return a;
    }
    if (a.y == 0.0f) {
        return b;
    }
    float m = fmax(a.x, b.x);
    float2 s = dw_plus_dw(dw_times_dw2(a.yz, power(a.x, m)), dw_times_dw2(b.yz, power(b.x, m)));
    return float3(m, s.x, s.y);
}

// softmax_online is softmax in two passes: the first finds the greatest number and the sum together, and multiplies the sum by a power of e whenever a greater
// one comes. The sum and these powers are double words: in float every new maximum would add an error of up to 4.5 ulp, which no order of the formula's
// additions explains.
//
// Special:  a NaN or +Inf makes its row NaN, as do numbers that are all -Inf.
// Launch:   a threadgroup a row, of any size in one dimension; 16 bytes of threadgroup memory a thread. Barriers: 2.
// Source:   [Milakov-Gimelshein 2018].
template <typename T>
kernel void softmax_online_of(device T* dst [[buffer(0)]],
                              device const T* x [[buffer(1)]],
                              constant uint& n [[buffer(2)]],
                              threadgroup float3* part [[threadgroup(0)]],
                              uint row [[threadgroup_position_in_grid]],
                              uint j [[thread_position_in_threadgroup]],
                              uint threads [[threads_per_threadgroup]])
{
    device const T* from = x + row * n;
    float3 all = float3(-INFINITY, 0.0f, 0.0f);
    for (uint i = j; i < n; i += threads) {
        float v = from[i];
        if (v > -INFINITY && v < INFINITY) {
            all = joined(all, float3(v, 1.0f, 0.0f));
        } else if (!(v == -INFINITY)) {
            all.y = v - v; // NaN
        }
    }
    part[j] = all;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (j == 0) {
        for (uint t = 1; t < threads; t++) {
            all = joined(all, part[t]);
        }
        part[0] = all;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    all = part[0];
    for (uint i = j; i < n; i += threads) {
        dst[row * n + i] = T(precise::exp(float(from[i]) - all.x) / all.y);
    }
}

template [[host_name("softmax_online")]] [[kernel]] decltype(softmax_online_of<float>) softmax_online_of<float>;
template [[host_name("softmax_online_half")]] [[kernel]] decltype(softmax_online_of<half>) softmax_online_of<half>;

// together returns the sum of two sets of numbers, of sizes a and b, and 2^-64 times the sum of their squared distances from their mean, from those of each
// set: words of sums in x and y, of squares in z and w. A number by itself is a set with squares 0, and then this is Welford's step. The factor
// keeps squares from overflow; those that it makes 0 are nothing beside epsilon.
inline float4 together(float4 x, float a, float4 y, float b)
{
    float2 d = dw_plus_dw(dw_div_fp3(y.xy, b), -dw_div_fp3(x.xy, a)) * 0x1p-32f;
    float2 between = dw_times_fp3(dw_times_fp3(dw_div_fp3(dw_times_dw2(d, d), a + b), a), b);
    float2 squares = dw_plus_dw(dw_plus_dw(x.zw, y.zw), between);
    float2 sum = dw_plus_dw(x.xy, y.xy);
    return float4(sum.x, sum.y, squares.x, squares.y);
}

// layer_norm_welford writes (x-μ)/√(σ² + epsilon)·gamma + beta of each row of n numbers, with the mean μ and the variance σ² in one pass: each thread adds
// number by number, and the first joins the threads. Sums are double words, since in float no theorem says that the recurrence stays within what rounding
// allows the formula in two passes.
//
// Domain:   n < 2^24.
// Special:  a number that is not finite makes its row NaN.
// Launch:   a threadgroup a row, of any size in one dimension; 16 bytes of threadgroup memory a thread. Barriers: 2.
// Source:   [Welford 1962].
template <typename T>
kernel void layer_norm_welford_of(device T* dst [[buffer(0)]],
                                  device const T* x [[buffer(1)]],
                                  device const T* gamma [[buffer(2)]],
                                  device const T* beta [[buffer(3)]],
                                  constant uint& n [[buffer(4)]],
                                  threadgroup float4* part [[threadgroup(0)]],
                                  uint row [[threadgroup_position_in_grid]],
                                  uint j [[thread_position_in_threadgroup]],
                                  uint threads [[threads_per_threadgroup]])
{
    device const T* from = x + row * n;
    float4 all = float4(0.0f);
    uint count = 0;
    for (uint i = j; i < n; i += threads) {
        float4 one = float4(float(from[i]), 0.0f, 0.0f, 0.0f);
        all = count == 0 ? one : together(all, float(count), one, 1.0f);
        count++;
    }
    part[j] = all;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (j == 0) {
        for (uint t = 1; t < min(threads, n); t++) {
            uint more = (n - t + threads - 1) / threads;
            all = together(all, float(count), part[t], float(more));
            count += more;
        }
        part[0] = all;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    all = part[0];
    float2 mean = dw_div_fp3(all.xy, float(n));
    float scale = rsqrt(all.z / float(n) * 0x1p64f + 1e-5f);
    for (uint i = j; i < n; i += threads) {
        dst[row * n + i] = T(dw_plus_fp(-mean, float(from[i])).x * scale * float(gamma[i]) + float(beta[i]));
    }
}

template [[host_name("layer_norm_welford")]] [[kernel]] decltype(layer_norm_welford_of<float>) layer_norm_welford_of<float>;
template [[host_name("layer_norm_welford_half")]] [[kernel]] decltype(layer_norm_welford_of<half>) layer_norm_welford_of<half>;

// attention_causal_online writes Σ_j p_ij·v_j for each query q_i of d numbers, where p_i is the softmax of the scores q_i·k_j/√d of keys 0 to i, of s keys, in one
// pass over these: threads share the scores of as many keys as there are threads, and each adds up columns of v. Result and weights are double words; after each
// key the result is the mean of the values so far, so that no sum overflows.
//
// Domain:   s, d > 0.
// Special:  a score that is NaN or +Inf makes its query's result NaN, as do scores that are all -Inf. Keys that a query does not see, and their values, may be
//           anything.
// Launch:   a threadgroup a query, of any size in one dimension; 4 bytes of threadgroup memory a thread. Barriers: 2 for each key and column that a thread has.
// Source:   [Milakov-Gimelshein 2018].
template <typename T>
kernel void attention_causal_online_of(device T* dst [[buffer(0)]],
                                       device const T* q [[buffer(1)]],
                                       device const T* k [[buffer(2)]],
                                       device const T* v [[buffer(3)]],
                                       constant uint& s [[buffer(4)]],
                                       constant uint& d [[buffer(5)]],
                                       constant uint& e [[buffer(6)]],
                                       threadgroup float* part [[threadgroup(0)]],
                                       uint i [[threadgroup_position_in_grid]],
                                       uint j [[thread_position_in_threadgroup]],
                                       uint threads [[threads_per_threadgroup]])
{
    float scale = 1.0f / precise::sqrt(float(d));
    uint seen = min(i + 1, s);
    for (uint first = 0; first < e; first += threads) {
        uint c = first + j;
        float m = -INFINITY;
        float2 total = float2(0.0f, 0.0f);
        float2 mean = float2(0.0f, 0.0f);
        float plain = 0.0f; // the mean where values are infinite or NaN, of which double words have none
        for (uint at = 0; at < seen; at += threads) {
            if (at + j < seen) {
                float t = 0.0f;
                for (uint l = 0; l < d; l++) {
                    t += float(q[i * d + l]) * float(k[(at + j) * d + l]);
                }
                part[j] = t * scale;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
            for (uint a = 0; a < min(threads, seen - at); a++) {
                float score = part[a];
                float top = fmax(m, score);
                float2 before = dw_times_dw2(total, power(m, top));
                float2 now = power(score, top);
                if (score != -INFINITY) {
                    now.x += score - score; // NaN unless it is finite
                }
                m = top;
                total = dw_plus_dw(before, now);
                float x = c < e ? float(v[(at + a) * e + c]) : 0.0f;
                float2 weight = total.x == 0.0f ? total : dw_div_dw2(now, total);
                float2 kept = total.x == 0.0f ? total : dw_div_dw2(before, total);
                mean = dw_plus_dw(dw_times_dw2(mean, kept), dw_times_fp3(weight, x));
                plain = plain * kept.x + weight.x * x;
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
        }
        if (c < e) {
            dst[i * e + c] = T(total.x == 0.0f ? NAN : plain - plain == 0.0f ? mean.x : plain);
        }
    }
}

template [[host_name("attention_causal_online")]] [[kernel]] decltype(attention_causal_online_of<float>) attention_causal_online_of<float>;
template [[host_name("attention_causal_online_half")]] [[kernel]] decltype(attention_causal_online_of<half>) attention_causal_online_of<half>;

// log_sum_exp_looped is log_sum_exp in one pass, as softmax_online makes its sum: threads, and then simdgroups, are brought to a common greatest number and
// added up.
//
// Domain:   n > 0.
// Special:  a NaN or +Inf gives NaN, as do numbers that are all -Inf.
// Launch:   a threadgroup a row, of any size in one dimension; 8 bytes of threadgroup memory a thread. Barriers: 1.
// Source:   [Milakov-Gimelshein 2018].
kernel void log_sum_exp_looped(device float* dst [[buffer(0)]],
                               device const float* x [[buffer(1)]],
                               constant uint& n [[buffer(2)]],
                               threadgroup float2* part [[threadgroup(0)]],
                               uint row [[threadgroup_position_in_grid]],
                               uint j [[thread_position_in_threadgroup]],
                               uint threads [[threads_per_threadgroup]],
                               uint lane [[thread_index_in_simdgroup]],
                               uint group [[simdgroup_index_in_threadgroup]],
                               uint groups [[simdgroups_per_threadgroup]])
{
    float3 all = float3(-INFINITY, 0.0f, 0.0f);
    for (uint i = j; i < n; i += threads) {
        float v = x[row * n + i];
        if (v > -INFINITY && v < INFINITY) {
            all = joined(all, float3(v, 1.0f, 0.0f));
        } else if (!(v == -INFINITY)) {
            all.y = v - v; // NaN
        }
    }
    float m = simd_max(all.x);
    float s = simd_sum(dw_times_dw2(all.yz, power(all.x, m)).x);
    if (lane == 0) {
        part[group] = float2(m, s);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (j == 0) {
        all = float3(-INFINITY, 0.0f, 0.0f);
        for (uint g = 0; g < groups; g++) {
            all = joined(all, float3(part[g], 0.0f));
        }
        dst[row] = all.y == 0.0f ? NAN : all.x + precise::log(all.y);
    }
}
