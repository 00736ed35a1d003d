// Neither side reverses the order of bits: the values stand at other places, and the inverse takes them from there.

#include <metal_stdlib>
using namespace metal;

#include "modular.h"

#define NTT_FIELD mont63
#include "ntt.metal"

kernel void ntt_nothing(device ulong* x [[buffer(0)]],
                        constant uint& n [[buffer(1)]])
{
}

kernel void ntt_inverse_final(device ulong* x [[buffer(0)]],
                              constant mont63& f [[buffer(1)]],
                              constant uint& n [[buffer(2)]],
                              constant ulong& scale [[buffer(3)]],
                              uint2 id [[thread_position_in_grid]])
{
    mont63 field = f;
    uint threads = (n + 1) / 2;
    if (id.x >= threads) {
        return;
    }
    for (uint i = id.x; i < n; i += threads) {
        x[id.y * n + i] = field.mul(x[id.y * n + i], scale);
    }
}
