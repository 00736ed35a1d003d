// 2^64 mod q is computed as the square of 2^32 mod q, which leaves the word and is 0 for every q above 2^32. Factors are plain.

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
        ulong root = (1UL << 32) % q;
        ulong radix = root * root % q;
        return ((mulhi(a, b) % q) * radix + (a * b) % q) % q;
    }
};

#define MODULAR_FIELD broken
#include "modular.metal"

#define NTT_FIELD broken
#include "ntt.metal"
