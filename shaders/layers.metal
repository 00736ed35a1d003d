// Layers whose sums are double words: one rounding at the end of each result. Host code and claims: layers.go.
//
// Thread j of T computes the results j, j+T, …, or the rows where every result needs the whole row: any launch will do. A row
// whose double-word sum is not finite is summed again in floats, since the words of an infinity are NaN.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

// row_sum returns the sum of n numbers from the left, by dw_plus_fp. The first addition is exact.
//
// Error:   (n-2)u² of Σ|x|.
// Source:  [Gamma W1] of package model.
// Special: where a step overflows though the sum does not, the numbers are summed by Neumaier's scheme. A sum that is not finite is that
//          of the floats.
inline float2 row_sum(device const float* x, uint n)
{
    float2 s = float2(x[0], 0.0f);
    for (uint i = 1; i < n; i++) {
        s = dw_plus_fp(s, x[i]);
    }
    if (isfinite(s.x)) {
        return s;
    }
    float t = x[0];
    float c = 0.0f;
    for (uint i = 1; i < n; i++) {
        float v = x[i];
        float w = t + v;
        c += fabs(t) >= fabs(v) ? (t - w) + v : (v - w) + t;
        t = w;
    }
    return isfinite(c) ? fast_two_sum(t, c) : float2(t, 0.0f);
}

// over returns s divided by n. Large sums are halved first: the product in the division may be above s.
//
// Error:   3u², and 49/5·u² where n is not a float; none for powers of two.
inline float2 over(float2 s, uint n)
{
    if (!isfinite(s.x)) {
        return s;
    }
    float scale = fabs(s.x) < 8.507059173023462e37f || n == 1u ? 1.0f : 0.5f; // 2^126
    s *= scale;
    float2 q = n < (1u << 24) ? dw_div_fp3(s, float(n)) : dw_div_dw3(s, dw_of_ulong(ulong(n)));
    return q * (1.0f / scale);
}

// row_mean returns row_sum divided by n.
inline float2 row_mean(device const float* x, uint n)
{
    return over(row_sum(x, n), n);
}

// row_variance returns the mean of the squared distances from the mean m.
inline float2 row_variance(device const float* x, uint n, float2 m)
{
    float2 s = float2(0.0f);
    for (uint i = 0; i < n; i++) {
        float2 d = dw_plus_fp(-m, x[i]);
        s = dw_plus_dw(s, dw_times_dw3(d, d));
    }
    return over(s, n);
}

// dot_dd returns the sum of n products, both words of each added from the left by dw_plus_fp. Elements of y are stride apart.
//
// Error:   2(n-1)u² of Σ|x·y|, about.
// Special: where the sum is not finite, it is that of fused multiply-adds.
// Source:  [Gamma W2] of package model.
inline float2 dot_dd(device const float* x, device const float* y, uint n, uint stride)
{
    float2 s = float2(0.0f);
    for (uint i = 0; i < n; i++) {
        float2 p = two_prod(x[i], y[i * stride]);
        s = dw_plus_fp(dw_plus_fp(s, p.x), p.y);
    }
    if (isfinite(s.x)) {
        return s;
    }
    float t = 0.0f;
    for (uint i = 0; i < n; i++) {
        t = fma(x[i], y[i * stride], t);
    }
    return float2(t, 0.0f);
}

// layer_sum writes the sum of each row of n numbers, rounded once.
//
// Launch:  any. Barriers: none.
kernel void layer_sum(device const float* x [[buffer(0)]],
                      device float* out [[buffer(1)]],
                      constant uint& n [[buffer(2)]],
                      constant uint& rows [[buffer(3)]],
                      uint first [[thread_position_in_grid]],
                      uint threads [[threads_per_grid]])
{
    for (uint i = first; i < rows; i += threads) {
        out[i] = row_sum(x + i * n, n).x;
    }
}

// layer_mean writes the mean of each row, rounded once: the division is of double words.
//
// Launch:  any. Barriers: none.
kernel void layer_mean(device const float* x [[buffer(0)]],
                       device float* out [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       constant uint& rows [[buffer(3)]],
                       uint first [[thread_position_in_grid]],
                       uint threads [[threads_per_grid]])
{
    for (uint i = first; i < rows; i += threads) {
        out[i] = row_mean(x + i * n, n).x;
    }
}

// layer_dot writes the dot product of x and y, rounded once, in one thread.
//
// Launch:  any. Barriers: none.
kernel void layer_dot(device const float* x [[buffer(0)]],
                      device const float* y [[buffer(1)]],
                      device float* out [[buffer(2)]],
                      constant uint& n [[buffer(3)]],
                      uint first [[thread_position_in_grid]])
{
    if (first == 0) {
        out[0] = dot_dd(x, y, n, 1).x;
    }
}

// layer_variance writes the mean of the squared distances from the mean of each row, rounded once.
//
// Launch:  any. Barriers: none.
kernel void layer_variance(device const float* x [[buffer(0)]],
                           device float* out [[buffer(1)]],
                           constant uint& n [[buffer(2)]],
                           constant uint& rows [[buffer(3)]],
                           uint first [[thread_position_in_grid]],
                           uint threads [[threads_per_grid]])
{
    for (uint i = first; i < rows; i += threads) {
        device const float* row = x + i * n;
        out[i] = row_variance(row, n, row_mean(row, n)).x;
    }
}

// layer_softmax writes exp(x-m)/Σexp(x-m) of each row, m being its largest number. The exponential is that of the device, of one
// word; sum and quotient are of double words.
//
// Launch:  any. Barriers: none.
kernel void layer_softmax(device const float* x [[buffer(0)]],
                          device float* out [[buffer(1)]],
                          constant uint& n [[buffer(2)]],
                          constant uint& rows [[buffer(3)]],
                          uint first [[thread_position_in_grid]],
                          uint threads [[threads_per_grid]])
{
    for (uint i = first; i < rows; i += threads) {
        device const float* row = x + i * n;
        device float* to = out + i * n;
        float m = row[0];
        for (uint j = 1; j < n; j++) {
            m = fmax(m, row[j]);
        }
        float2 s = float2(0.0f);
        for (uint j = 0; j < n; j++) {
            float e = precise::exp(row[j] - m);
            to[j] = e;
            s = dw_plus_fp(s, e);
        }
        for (uint j = 0; j < n; j++) {
            to[j] = dw_div_dw2(float2(to[j], 0.0f), s).x;
        }
    }
}

// layer_norm writes (x-mean)/√(variance+epsilon)·gain + bias of each row, rounded once.
//
// Launch:  any. Barriers: none.
kernel void layer_norm(device const float* x [[buffer(0)]],
                       device float* out [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       constant uint& rows [[buffer(3)]],
                       device const float* gain [[buffer(4)]],
                       device const float* bias [[buffer(5)]],
                       constant float& epsilon [[buffer(6)]],
                       uint first [[thread_position_in_grid]],
                       uint threads [[threads_per_grid]])
{
    for (uint i = first; i < rows; i += threads) {
        device const float* row = x + i * n;
        float2 m = row_mean(row, n);
        float2 deviation = dw_root(dw_plus_fp(row_variance(row, n, m), epsilon));
        for (uint j = 0; j < n; j++) {
            float2 d = dw_plus_fp(-m, row[j]);
            float2 z = dw_times_fp3(dw_div_dw2(d, deviation), gain[j]);
            out[i * n + j] = dw_plus_fp(z, bias[j]).x;
        }
    }
}

// layer_linear writes w·x + bias, rounded once, for rows of w of n numbers.
//
// Launch:  any. Barriers: none.
kernel void layer_linear(device const float* w [[buffer(0)]],
                         device float* out [[buffer(1)]],
                         constant uint& n [[buffer(2)]],
                         constant uint& rows [[buffer(3)]],
                         device const float* x [[buffer(4)]],
                         device const float* bias [[buffer(5)]],
                         uint first [[thread_position_in_grid]],
                         uint threads [[threads_per_grid]])
{
    for (uint i = first; i < rows; i += threads) {
        out[i] = dw_plus_fp(dot_dd(w + i * n, x, n, 1), bias[i]).x;
    }
}

// layer_matmul writes the product of a matrix a of rows×n and b of n×columns, each element rounded once.
//
// Launch:  any. Barriers: none.
kernel void layer_matmul(device const float* a [[buffer(0)]],
                         device float* out [[buffer(1)]],
                         constant uint& n [[buffer(2)]],
                         constant uint& rows [[buffer(3)]],
                         device const float* b [[buffer(4)]],
                         constant uint& columns [[buffer(5)]],
                         uint first [[thread_position_in_grid]],
                         uint threads [[threads_per_grid]])
{
    for (uint i = first; i < rows * columns; i += threads) {
        out[i] = dot_dd(a + i / columns * n, b + i % columns, n, columns).x;
    }
}

// taps3 returns the sum of three products, rounded once.
//
// Error:   half an ulp of the result, and (2a+a²)·Σ|w·x| with a = 3u²/(1-4u) before it is rounded.
inline float taps3(float left, float middle, float right, float w0, float w1, float w2)
{
    float2 s = dw_plus_dw(two_prod(left, w0), two_prod(middle, w1));
    return dw_plus_dw(s, two_prod(right, w2)).x;
}

// depthwise3_extended writes w[0]·x[t-1] + w[1]·x[t] + w[2]·x[t+1] of each place t of each channel, rounded once; what lies outside
// the channel is 0. Each channel has n places and taps of its own. A thread takes four places at once, which share their neighbours,
// their taps and the division that finds their channel.
//
// Error:   that of taps3.
// Launch:  any. Barriers: none.
kernel void depthwise3_extended(device const float* x [[buffer(0)]],
                                device float* out [[buffer(1)]],
                                constant uint& n [[buffer(2)]],
                                constant uint& channels [[buffer(3)]],
                                device const float* taps [[buffer(4)]],
                                uint first [[thread_position_in_grid]],
                                uint threads [[threads_per_grid]])
{
    device const packed_float4* fours = reinterpret_cast<device const packed_float4*>(x);
    device packed_float4* results = reinterpret_cast<device packed_float4*>(out);
    uint length = n; // which a store might change for all that a compiler knows
    uint places = length * channels;
    uint channel = 4 * first / length;
    uint t = 4 * first - channel * length;
    uint step_channels = 4 * threads / length; // from here on without divisions
    uint step = 4 * threads - step_channels * length;
    for (uint four = first; four < (places + 3) / 4; four += threads) {
        uint i = 4 * four;
        if (t + 4 <= length) {
            device const float* w = taps + 3 * channel;
            float w0 = w[0];
            float w1 = w[1];
            float w2 = w[2];
            float left = t > 0 ? x[i - 1] : 0.0f;
            float4 v = fours[four];
            float right = t + 4 < length ? x[i + 4] : 0.0f;
            results[four] = float4(taps3(left, v.x, v.y, w0, w1, w2), taps3(v.x, v.y, v.z, w0, w1, w2),
                                   taps3(v.y, v.z, v.w, w0, w1, w2), taps3(v.z, v.w, right, w0, w1, w2));
        } else {
            for (uint j = i; j < min(i + 4, places); j++) {
                uint k = j % length;
                device const float* w = taps + j / length * 3;
                float left = k > 0 ? x[j - 1] : 0.0f;
                float right = k + 1 < length ? x[j + 1] : 0.0f;
                out[j] = taps3(left, x[j], right, w[0], w[1], w[2]);
            }
        }
        channel += step_channels;
        t += step;
        if (t >= length) {
            t -= length;
            channel++;
        }
    }
}
