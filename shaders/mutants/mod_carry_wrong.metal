// The test for the carry of Montgomery's product compares the low words with each other, not their sum with R.

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
        ulong mq_lo = m * q;
        ulong t = mulhi(a, b) + mulhi(m, q) + (lo > mq_lo ? 1UL : 0UL);
        return t >= q ? t - q : t;
    }
};

#define MODULAR_FIELD broken
#include "modular.metal"

#define NTT_FIELD broken
#include "ntt.metal"
