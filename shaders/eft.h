// Error-free transforms for device functions: a sum, a product or a number, exactly, as two words (high, low). Include it after
// <metal_stdlib>.
//
// The pragmas hold to the end of the source that includes this: no option of Metal then reorders or fuses an operation. A
// source that defines GAMMA_OPEN leaves everything to the options of the compiler, to measure what that does.

#ifndef GAMMA_EFT_H
#define GAMMA_EFT_H

#ifndef GAMMA_OPEN
#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#else
#pragma clang fp reassociate(off)
#pragma clang fp contract(off)
#endif
#endif

// quotient returns fl(x/y) and root fl(√x), whatever the options: fast functions err.
inline float quotient(float x, float y)
{
#ifdef GAMMA_OPEN
    return x / y;
#else
    return precise::divide(x, y);
#endif
}

inline float root(float x)
{
#ifdef GAMMA_OPEN
    return sqrt(x);
#else
    return precise::sqrt(x);
#endif
}

// two_sum returns s = fl(a+b) and e with s+e = a+b.
//
// Domain:  s is finite, and |a| is not the largest float.
// Special: where subnormal numbers are flushed, e is right if the smaller of |a| and |b| is 0 or at least 2^-103; otherwise
//          less than 2^-126 is lost.
// Source:  [Knuth 1997] 4.2.2, Theorem B.
inline float2 two_sum(float a, float b)
{
    float s = a + b;
    float a1 = s - b;
    float b1 = s - a1;
    float da = a - a1;
    float db = b - b1;
    float e = da + db;
    return float2(s, e);
}

// two_sum_left is two_sum with a and b exchanged, in the order in which many sources have it.
inline float2 two_sum_left(float a, float b)
{
    float s = a + b;
    float v = s - a;
    float e = (a - (s - v)) + (b - v);
    return float2(s, e);
}

// fast_two_sum returns s = fl(a+b) and e with s+e = a+b.
//
// Domain:  a = 0, or the exponent of a is at least that of b; s is finite.
// Source:  [Dekker 1971].
inline float2 fast_two_sum(float a, float b)
{
    float s = a + b;
    float z = s - a;
    float e = b - z;
    return float2(s, e);
}

// split returns h and l with h+l = a, of at most 12 bits each.
//
// Domain:  |a| < 2^115.
// Source:  [Dekker 1971], by Veltkamp.
inline float2 split(float a)
{
    float c = 4097.0f * a; // 2^12+1
    float d = a - c;
    float h = d + c;
    float l = a - h;
    return float2(h, l);
}

// two_prod_dekker returns p = fl(a·b) and e with p+e = a·b, without fused operations.
//
// Domain:  as split for a and b; exponents of a and b that add up to -103 at least, or a factor 0; p is finite.
// Source:  [Dekker 1971].
inline float2 two_prod_dekker(float a, float b)
{
    float2 x = split(a);
    float2 y = split(b);
    float p = a * b;
    float t1 = -p + x.x * y.x;
    float t2 = t1 + x.x * y.y;
    float t3 = t2 + x.y * y.x;
    float e = t3 + x.y * y.y;
    return float2(p, e);
}

// two_prod returns p = fl(a·b) and e with p+e = a·b.
//
// Domain:  exponents of a and b that add up to -103 at least, or a factor 0; p is finite.
// Source:  [JMP 2017] Algorithm 3.
inline float2 two_prod(float a, float b)
{
    float p = a * b;
    float e = fma(a, b, -p);
    return float2(p, e);
}

#endif
