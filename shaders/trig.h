// Sine and cosine in single precision, for device functions: arguments of any size in radians, and in half turns, as twiddle factors have them.
// Include it after <metal_stdlib>.
//
// The pragmas hold to the end of the source that includes this. Every product that goes into a sum is an fma, so that no option contracts what is
// not; without the pragmas a compiler might reorder the steps of a reduction, which cancel, and take a NaN for a number.
//
// Source:  [Suiche 2025] for the polynomials and, as words of machine code, the three constants of π/2; [Payne-Hanek 1983].

#ifndef GAMMA_TRIG_H
#define GAMMA_TRIG_H

#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#else
#pragma clang fp reassociate(off)
#pragma clang fp contract(off)
#endif

// trig_finite reports whether x is finite, by its bits: a comparison with an infinity is what fast modes leave out.
inline bool trig_finite(float x)
{
    return (as_type<uint>(x) & 0x7fffffffu) < 0x7f800000u;
}

// trig_nan returns a NaN.
inline float trig_nan()
{
    return as_type<float>(0x7fc00000u);
}

// trig_sine_near returns sin r for |r| about π/4 at most.
inline float trig_sine_near(float r)
{
    float s = r * r;
    float p = fma(-1.95152959e-04f, s, 8.33216030e-03f);
    p = fma(p, s, -1.66666552e-01f);
    return fma(p * s, r, r);
}

// trig_cosine_near returns cos r for |r| about π/4 at most.
inline float trig_cosine_near(float r)
{
    float s = r * r;
    float p = fma(2.44331570e-05f, s, -1.38873163e-03f);
    p = fma(p, s, 4.16666418e-02f);
    p = fma(p, s, -0.5f);
    return fma(p, s, 1.0f);
}

// trig_turned returns the sine of r, k quarter turns further on.
inline float trig_turned(int k, float r)
{
    float y = (k & 1) != 0 ? trig_cosine_near(r) : trig_sine_near(r);
    return (k & 2) != 0 ? -y : y;
}

// trig_steps returns x - k·π/2, k being the integer nearest to x·2/π, ties to even. Three constants of Cody and Waite's sum to π/2 - 9.5e-23.
//
// Domain:  |x| <= 105615, so that k has 17 bits.
inline float trig_steps(float x, thread int& k)
{
    float n = rint(x * 0.636619772f); // 2/π
    float r = fma(-n, as_type<float>(0x3fc90fdau), x);
    r = fma(-n, as_type<float>(0x33a22168u), r);
    k = int(n);
    return fma(-n, as_type<float>(0x27c234c5u), r);
}

// The bits of 2/π: bit j after the point is bit j+31 of the words, counted from 0 at the first word's top.
constant uint trig_two_over_pi[8] = {
    0x00000000u, 0xa2f9836eu, 0x4e441529u, 0xfc2757d1u, 0xf534ddc0u, 0xdb629599u, 0x3c439041u, 0xfe5163abu,
};

// trig_window returns 32 bits of 2/π, from bit shift of a word on.
inline uint trig_window(uint word, uint shift)
{
    ulong two = (ulong(trig_two_over_pi[word]) << 32) | trig_two_over_pi[word + 1];
    return uint(two >> (32 - shift));
}

// trig_any returns x - k·π/2 with k modulo 4, by Payne and Hanek's reduction.
//
// x is m·2^e with m below 2^24. Bits of 2/π whose product with 2^e is a multiple of 4 do not matter; of those after them 96 make a window w with
// x·2/π = m·w·2^-94 modulo 4, but for less than 2^-70. The low 96 bits of m·w are k and a fraction, of which 64 bits are kept. No float is nearer to
// a multiple of π/2 than 2^-29.2, so that 34 of them count.
//
// Domain:  2^16 <= |x|, finite.
inline float trig_any(float x, thread int& k)
{
    uint b = as_type<uint>(x);
    uint m = (b & 0x7fffffu) | 0x800000u;
    uint from = ((b >> 23) & 0xffu) - 120u; // e + 30, where the bit of weight 2^(1-e) is
    uint word = from >> 5;
    uint shift = from & 31u;
    ulong low = ulong(m) * trig_window(word + 2, shift);
    ulong middle = ulong(m) * trig_window(word + 1, shift) + (low >> 32);
    uint high = m * trig_window(word, shift) + uint(middle >> 32);
    k = int(high >> 30);
    ulong f = (((ulong(high) << 32) | (middle & 0xfffffffful)) << 2) | ((low >> 30) & 3ul);
    bool negative = (f >> 63) != 0;
    if (negative) { // above one half: the next integer is nearer
        k++;
        f = 0ul - f;
    }
    uint z = uint(clz(f));
    f <<= z;
    float unit = as_type<float>((127u - 24u - z) << 23); // 2^(-24-z)
    float h = float(uint(f >> 40)) * unit;
    float l = float(uint(f >> 16) & 0xffffffu) * unit * 0x1p-24f;
    float r = fma(h, 0x1.921fb6p+0f, fma(h, -0x1.777a5cp-25f, l * 0x1.921fb6p+0f)); // π/2 in two words
    if (x < 0.0f) {
        k = -k;
        negative = !negative;
    }
    return negative ? -r : r;
}

// trig_reduced returns x - k·π/2 with k modulo 4, for finite x.
inline float trig_reduced(float x, thread int& k)
{
    return fabs(x) > 105615.0f ? trig_any(x, k) : trig_steps(x, k);
}

// trig_sin returns sin x.
//
// Special:  NaN and infinities give NaN; ±0 gives ±0.
inline float trig_sin(float x)
{
    if (!trig_finite(x)) {
        return trig_nan();
    }
    if (x == 0.0f) {
        return x; // -0 loses its sign to the products with k = 0
    }
    int k = 0;
    float r = trig_reduced(x, k);
    return trig_turned(k, r);
}

// trig_cos returns cos x.
//
// Special:  NaN and infinities give NaN.
inline float trig_cos(float x)
{
    if (!trig_finite(x)) {
        return trig_nan();
    }
    int k = 0;
    float r = trig_reduced(x, k);
    return trig_turned(k + 1, r);
}

// trig_half_turns returns sin πx, so many quarter turns further on, for x >= 0: 2x is an integer n and a rest g, |g| <= 1/2, both exactly.
inline float trig_half_turns(float x, int quarters)
{
    if (!trig_finite(x)) {
        return trig_nan();
    }
    if (x >= 0x1p24f) {
        x = 0.0f; // it is even
    }
    float n = rint(x + x);
    float g = (x + x) - n;
    quarters += int(n);
    if (g == 0.0f && (quarters & 1) == 0) {
        return 0.0f;
    }
    return trig_turned(quarters, fma(g, 0x1.921fb6p+0f, g * -0x1.777a5cp-25f));
}

// trig_sinpi returns sin πx.
//
// Special:  NaN and infinities give NaN; integers give 0 with the sign of x.
inline float trig_sinpi(float x)
{
    float y = trig_half_turns(fabs(x), 0);
    return (as_type<uint>(x) >> 31) != 0 ? -y : y;
}

// trig_cospi returns cos πx.
//
// Special:  NaN and infinities give NaN; odd multiples of 1/2 give +0.
inline float trig_cospi(float x)
{
    return trig_half_turns(fabs(x), 1);
}

#endif
