// Products of quantised matrices, and quantisation of rows. Host code and claims: quantised.go.

#include <metal_stdlib>
using namespace metal;

#include "group.h"

// product_int8 writes (Σ_l a_il·b_lj)·scaleA_i·scaleB_j for a of m by k and b of k by n, row by row, the sum in 32 bits.
//
// Domain:   k < 2^17.
// Error:    3 roundings: the sum's to float and two products'.
// Launch:   a thread a result, and more. Barriers: none.
kernel void product_int8(device float* dst [[buffer(0)]],
                         device const char* a [[buffer(1)]],
                         device const char* b [[buffer(2)]],
                         device const float* scaleA [[buffer(3)]],
                         device const float* scaleB [[buffer(4)]],
                         constant uint& m [[buffer(5)]],
                         constant uint& k [[buffer(6)]],
                         constant uint& n [[buffer(7)]],
                         uint at [[thread_position_in_grid]])
{
    if (at < m * n) {
        uint i = at / n;
        uint j = at % n;
        int s = 0;
        for (uint l = 0; l < k; l++) {
            s += int(a[i * k + l]) * int(b[l * n + j]);
        }
        dst[at] = float(s) * scaleA[i] * scaleB[j];
    }
}

// e4m3 returns f rounded to the nearest E4M3 number, in ties to the even one. Numbers beyond 448, and infinities, become ±448.
inline uchar e4m3(float f)
{
    uint b = as_type<uint>(f);
    uint sign = b >> 24 & 0x80;
    b &= 0x7fffffff;
    if (b > 0x7f800000) {
        return uchar(sign | 0x7f);
    }
    if (b >= 0x43e00000) { // 448
        return uchar(sign | 0x7e);
    }
    if (b >= 0x3c800000) { // 2^-6: the carry out of the significand raises the exponent
        return uchar(sign | min((b + 0x7ffff + (b >> 20 & 1) - (120 << 23)) >> 20, 0x7eu));
    }
    return uchar(sign | uint(rint(as_type<float>(b) * 512.0f)));
}

// rms_norm_e4m3 writes the E4M3 numbers nearest to y/scale, for y = x/√(Σx²/n + epsilon)·gamma of each row of n numbers and scale = max(max|y|, 10^-12)/448.
//
// Error:    a code may be one off where the quotient is next to a tie.
// Special:  a NaN makes its row NaN; an infinity makes its row 0 and itself NaN.
// Launch:   a threadgroup a row, of any size in one dimension; 4 bytes of threadgroup memory a thread. Barriers: 4.
kernel void rms_norm_e4m3(device uchar* dst [[buffer(0)]],
                          device const float* x [[buffer(1)]],
                          device const float* gamma [[buffer(2)]],
                          constant uint& n [[buffer(3)]],
                          threadgroup float* part [[threadgroup(0)]],
                          uint row [[threadgroup_position_in_grid]],
                          uint j [[thread_position_in_threadgroup]],
                          uint threads [[threads_per_threadgroup]],
                          uint lane [[thread_index_in_simdgroup]],
                          uint group [[simdgroup_index_in_threadgroup]],
                          uint groups [[simdgroups_per_threadgroup]])
{
    device const float* from = x + row * n;
    float s = 0.0f;
    for (uint i = j; i < n; i += threads) {
        s += from[i] * from[i];
    }
    float root = rsqrt(group_sum(s, part, lane, group, groups) / float(n) + 1e-5f);
    float top = 0.0f;
    for (uint i = j; i < n; i += threads) {
        top = fmax(top, fabs(from[i] * root * gamma[i]));
    }
    float scale = fmax(group_max(top, part, lane, group, groups), 1e-12f) / 448.0f;
    for (uint i = j; i < n; i += threads) {
        dst[row * n + i] = e4m3(from[i] * root * gamma[i] / scale);
    }
}
