// Double-word arithmetic for device functions. A double word is a float2 (high, low) with high = fl(high+low); its value is the sum.
// Include it after <metal_stdlib>; the pragmas of eft.h come with it.
//
// Each bound is relative to the exact result, u = 2^-24, for rounding to nearest even, where no product of words underflows and
// nothing overflows. Sources are those of package gamma/model/word.

#ifndef GAMMA_DD_H
#define GAMMA_DD_H

#include "eft.h"

// dw_plus_fp returns x+y.
//
// Error:   2u².
// Source:  [JMP 2017] Algorithm 4.
inline float2 dw_plus_fp(float2 x, float y)
{
    float2 s = two_sum(x.x, y);
    float v = x.y + s.y;
    return fast_two_sum(s.x, v);
}

// dw_plus_dw_sloppy returns x+y for x and y of one sign.
//
// Error:   3u²; for opposite signs the relative error may be 1.
// Source:  [JMP 2017] Algorithm 5.
inline float2 dw_plus_dw_sloppy(float2 x, float2 y)
{
    float2 s = two_sum(x.x, y.x);
    float v = x.y + y.y;
    float w = s.y + v;
    return fast_two_sum(s.x, w);
}

// dw_plus_dw returns x+y.
//
// Error:   3u²/(1-4u).
// Source:  [JMP 2017] Algorithm 6.
inline float2 dw_plus_dw(float2 x, float2 y)
{
    float2 s = two_sum(x.x, y.x);
    float2 t = two_sum(x.y, y.y);
    float c = s.y + t.x;
    float2 v = fast_two_sum(s.x, c);
    float w = t.y + v.y;
    return fast_two_sum(v.x, w);
}

// dw_times_fp1 returns x·y.
//
// Error:   3/2·u²+4u³.
// Source:  [JMP 2017] Algorithm 7.
inline float2 dw_times_fp1(float2 x, float y)
{
    float2 c = two_prod(x.x, y);
    float cl2 = x.y * y;
    float2 t = fast_two_sum(c.x, cl2);
    float tl2 = t.y + c.y;
    return fast_two_sum(t.x, tl2);
}

// dw_times_fp2 returns x·y.
//
// Error:   3u².
// Source:  [JMP 2017] Algorithm 8.
inline float2 dw_times_fp2(float2 x, float y)
{
    float2 c = two_prod(x.x, y);
    float cl3 = c.y + x.y * y; // without contract(off) a compiler may make this dw_times_fp3
    return fast_two_sum(c.x, cl3);
}

// dw_times_fp3 returns x·y.
//
// Error:   2u².
// Source:  [JMP 2017] Algorithm 9.
inline float2 dw_times_fp3(float2 x, float y)
{
    float2 c = two_prod(x.x, y);
    float cl3 = fma(x.y, y, c.y);
    return fast_two_sum(c.x, cl3);
}

// dw_times_dw1 returns x·y.
//
// Error:   5u²; 11/2·u² where ties go elsewhere.
// Source:  [JMP 2017] Algorithm 10.
inline float2 dw_times_dw1(float2 x, float2 y)
{
    float2 c = two_prod(x.x, y.x);
    float cl2 = x.x * y.y + x.y * y.x; // without contract(off) a compiler may make this dw_times_dw2
    float cl3 = c.y + cl2;
    return fast_two_sum(c.x, cl3);
}

// dw_times_dw2 returns x·y.
//
// Error:   5u².
// Source:  [JMP 2017] Algorithm 11.
inline float2 dw_times_dw2(float2 x, float2 y)
{
    float2 c = two_prod(x.x, y.x);
    float tl = x.x * y.y;
    float cl2 = fma(x.y, y.x, tl);
    float cl3 = c.y + cl2;
    return fast_two_sum(c.x, cl3);
}

// dw_times_dw3 returns x·y.
//
// Error:   (4u²+u³/2)/(1+u)².
// Source:  [JMP 2017] Algorithm 12.
inline float2 dw_times_dw3(float2 x, float2 y)
{
    float2 c = two_prod(x.x, y.x);
    float tl0 = x.y * y.y;
    float tl1 = fma(x.x, y.y, tl0);
    float cl2 = fma(x.y, y.x, tl1);
    float cl3 = c.y + cl2;
    return fast_two_sum(c.x, cl3);
}

// dw_div_fp1 returns x/y.
//
// Error:   7/2·u².
// Source:  [JMP 2017] Algorithm 13.
inline float2 dw_div_fp1(float2 x, float y)
{
    float th = quotient(x.x, y);
    float2 p = two_prod(th, y);
    float2 d = two_sum(x.x, -p.x);
    float d2 = x.y - p.y;
    float dl = d.y + d2;
    float r = d.x + dl;
    float tl = quotient(r, y);
    return fast_two_sum(th, tl);
}

// dw_div_fp2 returns x/y.
//
// Error:   7/2·u².
// Source:  [JMP 2017] Algorithm 14.
inline float2 dw_div_fp2(float2 x, float y)
{
    float th = quotient(x.x, y);
    float2 p = two_prod(th, y);
    float dh = x.x - p.x;
    float dl = x.y - p.y;
    float d = dh + dl;
    float tl = quotient(d, y);
    return fast_two_sum(th, tl);
}

// dw_div_fp3 returns x/y.
//
// Error:   3u².
// Source:  [JMP 2017] Algorithm 15.
inline float2 dw_div_fp3(float2 x, float y)
{
    float th = quotient(x.x, y);
    float2 p = two_prod(th, y);
    float dh = x.x - p.x;
    float dt = dh - p.y;
    float d = dt + x.y;
    float tl = quotient(d, y);
    return fast_two_sum(th, tl);
}

// dw_div_dw1 returns x/y.
//
// Error:   15u²+56u³.
// Source:  [JMP 2017] Algorithm 16.
inline float2 dw_div_dw1(float2 x, float2 y)
{
    float th = quotient(x.x, y.x);
    float2 r = dw_times_fp1(y, th);
    float2 p = two_sum(x.x, -r.x);
    float dh = p.y - r.y;
    float dl = dh + x.y;
    float d = p.x + dl;
    float tl = quotient(d, y.x);
    return fast_two_sum(th, tl);
}

// dw_div_dw2 returns x/y.
//
// Error:   15u²+56u³.
// Source:  [JMP 2017] Algorithm 17.
inline float2 dw_div_dw2(float2 x, float2 y)
{
    float th = quotient(x.x, y.x);
    float2 r = dw_times_fp1(y, th);
    float ph = x.x - r.x;
    float dl = x.y - r.y;
    float d = ph + dl;
    float tl = quotient(d, y.x);
    return fast_two_sum(th, tl);
}

// dw_div_dw3 returns x/y, by an iteration of Newton's for 1/y.
//
// Error:   49/5·u².
// Source:  [JMP 2017] Algorithm 18.
inline float2 dw_div_dw3(float2 x, float2 y)
{
    float th = quotient(1.0f, y.x);
    float rh = fma(-y.x, th, 1.0f);
    float rl = -(y.y * th);
    float2 e = fast_two_sum(rh, rl);
    float2 d = dw_times_fp3(e, th);
    float2 m = dw_plus_fp(d, th);
    return dw_times_dw2(x, m);
}

// dw_sqrt returns √x.
//
// Domain:  x >= 0. Of x = 0 the low word is NaN, by 0/0: see dw_root.
// Error:   25/8·u².
// Source:  [LLMPR 2023] Algorithm 8.
inline float2 dw_sqrt(float2 x)
{
    float sh = root(x.x);
    float r1 = fma(-sh, sh, x.x);
    float r2 = x.y + r1;
    float sl = quotient(r2, sh + sh);
    return fast_two_sum(sh, sl);
}

// dw_root returns √x, of zero too.
inline float2 dw_root(float2 x)
{
    return x.x == 0.0f ? float2(x.x, 0.0f) : dw_sqrt(x);
}

// dw_compare returns -1, 0 or 1 as x is less than, equal to or greater than y, and 2 where either is NaN. High words of
// double words are in the order of their values, or equal.
inline int dw_compare(float2 x, float2 y)
{
    if (x.x < y.x) {
        return -1;
    }
    if (x.x > y.x) {
        return 1;
    }
    if (x.x != y.x || x.y != x.y || y.y != y.y) {
        return 2;
    }
    if (isinf(x.x)) {
        return 0;
    }
    return x.y < y.y ? -1 : x.y > y.y ? 1 : 0;
}

// dw_of_ulong returns v as a double word. It rounds the high word by integer arithmetic, so that nothing depends on how a device
// converts 2^64.
//
// Error:   the high word is the float nearest to v, ties to even; the low word that nearest to the rest: u² in all. Exact below 2^48.
//          A rest that rounds to half an ulp of an odd high word is moved over, which keeps the value.
inline float2 dw_of_ulong(ulong v)
{
    if (v < (1ul << 24)) {
        return float2(float(uint(v)), 0.0f);
    }
    uint s = 40u - uint(clz(v)); // bits below the leading 24
    ulong top = v >> s;
    long rest = long(v & ((1ul << s) - 1ul));
    long half_ulp = s == 0u ? 1l : 1l << (s - 1u);
    if (rest > half_ulp || (rest == half_ulp && (top & 1ul) != 0ul)) {
        top += 1ul;
        rest -= 1l << s;
    }
    // 2^s is put together from its bits: exact on every device.
    float scale = as_type<float>((s + 127u) << 23);
    return fast_two_sum(float(uint(top)) * scale, float(rest));
}

// dw_of_long returns v as a double word; see dw_of_ulong.
inline float2 dw_of_long(long v)
{
    return v < 0l ? -dw_of_ulong(0ul - ulong(v)) : dw_of_ulong(ulong(v));
}

// dw_to_int returns x without its fraction, the nearest int where that is out of range, and 0 for NaN.
//
// The fraction of a high word that is no integer decides alone: the low word is at most half an ulp, and an integer lies at
// least one ulp away.
inline int dw_to_int(float2 x)
{
    if (!(fabs(x.x) < 4294967296.0f)) {
        return x.x > 0.0f ? INT_MAX : x.x < 0.0f ? INT_MIN : 0;
    }
    float whole = trunc(x.x);
    long v = long(whole);
    if (whole == x.x) {
        v += long(x.x > 0.0f ? floor(x.y) : ceil(x.y));
    }
    return int(clamp(v, long(INT_MIN), long(INT_MAX)));
}

#endif
