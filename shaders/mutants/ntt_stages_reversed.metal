// The stages run in reverse order, on both sides: the one is the inverse of the other still, and neither is a transform.

#include <metal_stdlib>
using namespace metal;

#include "modular.h"

#define NTT_FIELD mont63
#include "ntt.metal"

kernel void ntt_forward_turned(device ulong* x [[buffer(0)]],
                               device const ulong* w [[buffer(1)]],
                               constant mont63& f [[buffer(2)]],
                               constant uint& n [[buffer(3)]],
                               constant uint& span [[buffer(4)]],
                               uint2 id [[thread_position_in_grid]])
{
    if (id.x >= n / 2) {
        return;
    }
    mont63 field = f;
    uint turned = n / 2 / span;
    uint k = id.x & (turned - 1);
    uint i = id.y * n + 2 * id.x - k;
    ulong u = x[i];
    ulong v = x[i + turned];
    forward_butterfly(field, u, v, w[turned + k]);
    x[i] = u;
    x[i + turned] = v;
}

kernel void ntt_inverse_turned(device ulong* x [[buffer(0)]],
                               device const ulong* w [[buffer(1)]],
                               constant mont63& f [[buffer(2)]],
                               constant uint& n [[buffer(3)]],
                               constant uint& span [[buffer(4)]],
                               uint2 id [[thread_position_in_grid]])
{
    if (id.x >= n / 2) {
        return;
    }
    mont63 field = f;
    uint turned = n / 2 / span;
    uint k = id.x & (turned - 1);
    uint i = id.y * n + 2 * id.x - k;
    ulong u = x[i];
    ulong v = x[i + turned];
    inverse_butterfly(field, u, v, w[turned + k]);
    x[i] = u;
    x[i + turned] = v;
}
