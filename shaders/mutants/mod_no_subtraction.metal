// Montgomery's product ends without the subtraction of q: it is below 2q, and claimed below q.

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
        return mulhi(a, b) + mulhi(m, q) + (lo != 0 ? 1UL : 0UL);
    }
};

#define MODULAR_FIELD broken
#include "modular.metal"

#define NTT_FIELD broken
#include "ntt.metal"
