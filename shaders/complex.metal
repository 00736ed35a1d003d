// Products and sums of complex numbers, a row a thread. Host code and claims: complex.go.
//
// A row of operands stands in x as x.re, x.im, y.re, y.im, each of one word or of two, and a row of results in z as its real and
// its imaginary part. Buffers: x, z and the number n of rows; threads beyond it do nothing.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

// complex_dd is a complex number whose parts are double words.
struct complex_dd {
    float re_hi, re_lo;
    float im_hi, im_lo;
};

inline float2 re(complex_dd z) { return float2(z.re_hi, z.re_lo); }
inline float2 im(complex_dd z) { return float2(z.im_hi, z.im_lo); }
inline complex_dd complex_of(float2 re, float2 im) { return {re.x, re.y, im.x, im.y}; }

// A row of two complex numbers of double words.
struct complex_dd_pair {
    complex_dd x, y;
};

// complex_plus returns x+y.
//
// Error:   3u²/(1-4u) of each part.
inline complex_dd complex_plus(complex_dd x, complex_dd y)
{
    return complex_of(dw_plus_dw(re(x), re(y)), dw_plus_dw(im(x), im(y)));
}

// complex_times1, 2 and 3 return x·y by dw_times_dw1, 2 and 3 and dw_plus_dw.
//
// Error:   (5√2+3)u², (5√2+3)u² and (4√2+3)u² of the norm, and terms in u³; of a part alone there is no bound.
// Source:  [Gamma W6].
inline complex_dd complex_times1(complex_dd x, complex_dd y)
{
    float2 p = dw_times_dw1(re(x), re(y));
    float2 q = dw_times_dw1(im(x), im(y));
    float2 s = dw_times_dw1(re(x), im(y));
    float2 t = dw_times_dw1(im(x), re(y));
    return complex_of(dw_plus_dw(p, -q), dw_plus_dw(s, t));
}

inline complex_dd complex_times2(complex_dd x, complex_dd y)
{
    float2 p = dw_times_dw2(re(x), re(y));
    float2 q = dw_times_dw2(im(x), im(y));
    float2 s = dw_times_dw2(re(x), im(y));
    float2 t = dw_times_dw2(im(x), re(y));
    return complex_of(dw_plus_dw(p, -q), dw_plus_dw(s, t));
}

inline complex_dd complex_times3(complex_dd x, complex_dd y)
{
    float2 p = dw_times_dw3(re(x), re(y));
    float2 q = dw_times_dw3(im(x), im(y));
    float2 s = dw_times_dw3(re(x), im(y));
    float2 t = dw_times_dw3(im(x), re(y));
    return complex_of(dw_plus_dw(p, -q), dw_plus_dw(s, t));
}

// complex_plain writes ac-bd and ad+bc for rows a, b, c, d.
//
// Error:   √5·u of the norm.
// Source:  [BPZ 2007] Theorem 1.
// Launch:  n threads or more. Barriers: none.
kernel void complex_plain(device const float4* x [[buffer(0)]],
                          device float2* z [[buffer(1)]],
                          constant uint& n [[buffer(2)]],
                          uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float a = x[i].x;
    float b = x[i].y;
    float c = x[i].z;
    float d = x[i].w;
    float re = a * c - b * d;
    float im = a * d + b * c;
    z[i] = float2(re, im);
}

// complex_fma writes ac-bd and ad+bc, one product of each fused.
//
// Error:   2u of the norm.
// Source:  [JKLM 2017].
// Launch:  n threads or more. Barriers: none.
kernel void complex_fma(device const float4* x [[buffer(0)]],
                        device float2* z [[buffer(1)]],
                        constant uint& n [[buffer(2)]],
                        uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float a = x[i].x;
    float b = x[i].y;
    float c = x[i].z;
    float d = x[i].w;
    float re = fma(a, c, -(b * d));
    float im = fma(a, d, b * c);
    z[i] = float2(re, im);
}

// complex_kahan writes ac-bd and ad+bc, each by Kahan's determinant.
//
// Error:   2u of each part.
// Source:  [JLM 2013].
// Launch:  n threads or more. Barriers: none.
kernel void complex_kahan(device const float4* x [[buffer(0)]],
                          device float2* z [[buffer(1)]],
                          constant uint& n [[buffer(2)]],
                          uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float a = x[i].x;
    float b = x[i].y;
    float c = x[i].z;
    float d = x[i].w;
    float w = b * d;
    float e = fma(b, d, -w);
    float f = fma(a, c, -w);
    float re = f - e;
    float v = b * c;
    float g = fma(b, c, -v);
    float h = fma(a, d, v);
    float im = h + g;
    z[i] = float2(re, im);
}

// complex_three writes ac-bd and ad+bc from three products.
//
// Error:   no bound is published.
// Source:  Gauss.
// Launch:  n threads or more. Barriers: none.
kernel void complex_three(device const float4* x [[buffer(0)]],
                          device float2* z [[buffer(1)]],
                          constant uint& n [[buffer(2)]],
                          uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float a = x[i].x;
    float b = x[i].y;
    float c = x[i].z;
    float d = x[i].w;
    float k1 = c * (a + b);
    float k2 = a * (d - c);
    float k3 = b * (c + d);
    float re = k1 - k3;
    float im = k1 + k2;
    z[i] = float2(re, im);
}

// complex_extended writes ac-bd and ad+bc, each rounded once, at the end: products are exact double words, and so is their sum but for
// the error of dw_plus_dw.
//
// Error:   half an ulp of each part, and 3u²/(1-4u) of it before it is rounded.
// Source:  [JMP 2017] Algorithms 3 and 6.
// Launch:  n threads or more. Barriers: none.
kernel void complex_extended(device const float4* x [[buffer(0)]],
                             device float2* z [[buffer(1)]],
                             constant uint& n [[buffer(2)]],
                             uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float4 v = x[i];
    float2 re = dw_plus_dw(two_prod(v.x, v.z), -two_prod(v.y, v.w));
    float2 im = dw_plus_dw(two_prod(v.x, v.w), two_prod(v.y, v.z));
    z[i] = float2(re.x, im.x);
}

// complex_dd_plus writes x+y; see complex_plus.
//
// Launch:  n threads or more. Barriers: none.
kernel void complex_dd_plus(device const complex_dd_pair* x [[buffer(0)]],
                            device complex_dd* z [[buffer(1)]],
                            constant uint& n [[buffer(2)]],
                            uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = complex_plus(x[i].x, x[i].y);
}

// complex_dd_times1 writes x·y; see complex_times1.
//
// Launch:  n threads or more. Barriers: none.
kernel void complex_dd_times1(device const complex_dd_pair* x [[buffer(0)]],
                              device complex_dd* z [[buffer(1)]],
                              constant uint& n [[buffer(2)]],
                              uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = complex_times1(x[i].x, x[i].y);
}

// complex_dd_times2 writes x·y; see complex_times2.
//
// Launch:  n threads or more. Barriers: none.
kernel void complex_dd_times2(device const complex_dd_pair* x [[buffer(0)]],
                              device complex_dd* z [[buffer(1)]],
                              constant uint& n [[buffer(2)]],
                              uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = complex_times2(x[i].x, x[i].y);
}

// complex_dd_times3 writes x·y; see complex_times3.
//
// Launch:  n threads or more. Barriers: none.
kernel void complex_dd_times3(device const complex_dd_pair* x [[buffer(0)]],
                              device complex_dd* z [[buffer(1)]],
                              constant uint& n [[buffer(2)]],
                              uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = complex_times3(x[i].x, x[i].y);
}

// complex_multiply_extended writes x·y, rounded once, at the end.
//
// Error:   half an ulp of each part of what complex_times3 returns.
// Launch:  n threads or more. Barriers: none.
kernel void complex_multiply_extended(device const complex_dd_pair* x [[buffer(0)]],
                                      device float2* z [[buffer(1)]],
                                      constant uint& n [[buffer(2)]],
                                      uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    complex_dd p = complex_times3(x[i].x, x[i].y);
    z[i] = float2(p.re_hi, p.im_hi);
}

// complex_multiply_extended_dd writes x·y as double words, not rounded.
//
// Error:   that of complex_times3.
// Launch:  n threads or more. Barriers: none.
kernel void complex_multiply_extended_dd(device const complex_dd_pair* x [[buffer(0)]],
                                         device complex_dd* z [[buffer(1)]],
                                         constant uint& n [[buffer(2)]],
                                         uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = complex_times3(x[i].x, x[i].y);
}
