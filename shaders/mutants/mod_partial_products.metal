// The product of two words is reduced piece by piece: (hi mod q)·(2^64 mod q) is itself a product of two words, of which
// the low one alone is kept, and the sum may leave the word. Factors are plain.

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
        ulong radix = (0UL - q) % q; // 2^64 mod q
        return ((mulhi(a, b) % q) * radix + (a * b) % q) % q;
    }
};

#define MODULAR_FIELD broken
#include "modular.metal"

#define NTT_FIELD broken
#include "ntt.metal"
