// Arithmetic modulo an odd number q: Montgomery's product with R = 2^64 and 2^32, and Shoup's for lazy words.
//
// A field holds q and what belongs to it. Host code binds its bytes as the struct has them, eight bytes a number or four. A word
// is reduced if it is below q; all operands and results are, unless a comment says more. Montgomery's product takes x·R and y·R to
// x·y·R, and x·R and y to x·y: so a residue times a factor in Montgomery's domain needs no conversion.
//
// Source:  [Montgomery 1985]; [Harvey 2014] for Shoup's product and its butterflies.

#ifndef GAMMA_MODULAR_H
#define GAMMA_MODULAR_H

#include <metal_stdlib>
using namespace metal;

// mont63 is for odd q < 2^63: sums of two words stay below 2^64.
struct mont63 {
    typedef ulong word;

    ulong q;
    ulong q_inv; // -1/q modulo R
    ulong r2;    // R² mod q

    // add returns a+b mod q.
    ulong add(ulong a, ulong b) const
    {
        ulong s = a + b;
        return s >= q ? s - q : s;
    }

    // sub returns a-b mod q.
    ulong sub(ulong a, ulong b) const { return a >= b ? a - b : a + (q - b); }

    // mul returns a·b/R mod q.
    //
    // Domain:  a·b < q·R, which a reduced b gives for any a.
    ulong mul(ulong a, ulong b) const
    {
        ulong lo = a * b;
        ulong m = lo * q_inv;
        // lo + m·q is 0 modulo R: its carry is 1 unless lo is 0. The sum is below 2q.
        ulong t = mulhi(a, b) + mulhi(m, q) + (lo != 0 ? 1UL : 0UL);
        return t >= q ? t - q : t;
    }
};

// mont64 is for every odd q < 2^64. No sum leaves the word: one that would reach q is never formed.
struct mont64 {
    typedef ulong word;

    ulong q;
    ulong q_inv;
    ulong r2;

    // add is for b = q, too.
    ulong add(ulong a, ulong b) const { return a >= q - b ? a - (q - b) : a + b; }

    ulong sub(ulong a, ulong b) const { return a >= b ? a - b : a + (q - b); }

    ulong mul(ulong a, ulong b) const
    {
        ulong lo = a * b;
        ulong m = lo * q_inv;
        // The high word is below q, and the other one with its carry at most q.
        return add(mulhi(a, b), mulhi(m, q) + (lo != 0 ? 1UL : 0UL));
    }
};

// mont31 is for odd q < 2^31, with R = 2^32.
struct mont31 {
    typedef uint word;

    uint q;
    uint q_inv;
    uint r2;

    uint add(uint a, uint b) const
    {
        uint s = a + b;
        return s >= q ? s - q : s;
    }

    uint sub(uint a, uint b) const { return a >= b ? a - b : a + (q - b); }

    uint mul(uint a, uint b) const
    {
        uint lo = a * b;
        uint m = lo * q_inv;
        uint t = mulhi(a, b) + mulhi(m, q) + (lo != 0 ? 1u : 0u);
        return t >= q ? t - q : t;
    }
};

// forward_butterfly replaces x and y by x+w·y and x-w·y, for a factor w in Montgomery's domain.
template <typename F, typename W> inline void forward_butterfly(F f, thread W& x, thread W& y, W w)
{
    W t = f.mul(y, w);
    y = f.sub(x, t);
    x = f.add(x, t);
}

// inverse_butterfly replaces x and y by x+y and (x-y)·w, for a factor w in Montgomery's domain.
template <typename F, typename W> inline void inverse_butterfly(F f, thread W& x, thread W& y, W w)
{
    W t = f.sub(x, y);
    x = f.add(x, y);
    y = f.mul(t, w);
}

// reduce returns a if it is below m, else a-m.
inline ulong reduce(ulong a, ulong m) { return a >= m ? a - m : a; }

// shoup_lazy_2q returns a·w mod q in [0, 2q), for any word a. With -q the low words are one chain of multiplications and additions.
//
// Domain:  q < 2^63. w.x is the factor, reduced, and w.y = ⌊w.x·2^64/q⌋.
inline ulong shoup_lazy_2q(ulong a, ulong2 w, ulong q) { return a * w.x + mulhi(a, w.y) * (0 - q); }

// forward_butterfly_lazy_4q replaces x and y in [0, 4q) by x+w·y and x-w·y in [0, 4q).
//
// Domain:  q < 2^62. w as of shoup_lazy_2q.
inline void forward_butterfly_lazy_4q(thread ulong& x, thread ulong& y, ulong2 w, ulong q)
{
    ulong u = reduce(x, 2 * q);
    ulong t = shoup_lazy_2q(y, w, q);
    x = u + t;
    y = u + 2 * q - t;
}

// inverse_butterfly_lazy_2q replaces x and y in [0, 2q) by x+y and (x-y)·w in [0, 2q).
//
// Domain:  q < 2^62. w as of shoup_lazy_2q.
inline void inverse_butterfly_lazy_2q(thread ulong& x, thread ulong& y, ulong2 w, ulong q)
{
    ulong t = x + 2 * q - y;
    x = reduce(x + y, 2 * q);
    y = shoup_lazy_2q(t, w, q);
}

#endif
