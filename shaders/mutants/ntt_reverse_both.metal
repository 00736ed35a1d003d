// The threads of both indices exchange the two words of a reversal, each unaware of the other: a word may be written twice and its
// partner lost.

#include <metal_stdlib>
using namespace metal;

#include "modular.h"

#define NTT_FIELD mont63
#include "ntt.metal"

kernel void ntt_bit_reverse_both(device ulong* x [[buffer(0)]],
                                 constant uint& n [[buffer(1)]],
                                 uint2 id [[thread_position_in_grid]])
{
    device ulong* a = x + id.y * n;
    uint threads = (n + 1) / 2;
    if (id.x >= threads) {
        return;
    }
    for (uint i = id.x; i < n; i += threads) {
        uint r = reversed(i, n);
        ulong t = a[i];
        a[i] = a[r];
        a[r] = t;
    }
}
