// The arithmetic is that for moduli below 2^63, and the claim one for all below 2^64: sums of two words leave the word unseen.

#include <metal_stdlib>
using namespace metal;

struct broken {
    typedef ulong word;

    ulong q;
    ulong q_inv;
    ulong r2;

    ulong add(ulong a, ulong b) const
    {
        ulong s = a + b;
        return s >= q ? s - q : s;
    }

    ulong sub(ulong a, ulong b) const
    {
        return a >= b ? a - b : a + (q - b);
    }

    ulong mul(ulong a, ulong b) const
    {
        ulong lo = a * b;
        ulong m = lo * q_inv;
        ulong t = mulhi(a, b) + mulhi(m, q) + (lo != 0 ? 1UL : 0UL);
        return t >= q ? t - q : t;
    }
};

#define MODULAR_FIELD broken
#include "modular.metal"

#define NTT_FIELD broken
#include "ntt.metal"
