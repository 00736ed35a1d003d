// The factors of a stage are taken in natural order, where blocks follow each other in bit-reversed order, on both sides.

#include <metal_stdlib>
using namespace metal;

#include "modular.h"

#include "ntt.metal"

kernel void ntt_forward_natural(device ulong* x [[buffer(0)]],
                                device const ulong2* w [[buffer(1)]],
                                constant mont63& field [[buffer(2)]],
                                constant uint& n [[buffer(3)]],
                                constant uint& span [[buffer(4)]],
                                uint2 id [[thread_position_in_grid]])
{
    if (id.x >= n / 2) {
        return;
    }
    uint k = id.x & (span - 1);
    uint i = id.y * n + 2 * id.x - k;
    uint blocks = n / 2 / span;
    ulong u = x[i];
    ulong v = x[i + span];
    forward_butterfly_lazy_4q(u, v, w[blocks + reversed((id.x - k) / span, blocks)], field.q);
    x[i] = u;
    x[i + span] = v;
}

kernel void ntt_inverse_natural(device ulong* x [[buffer(0)]],
                                device const ulong2* w [[buffer(1)]],
                                constant mont63& field [[buffer(2)]],
                                constant uint& n [[buffer(3)]],
                                constant uint& span [[buffer(4)]],
                                uint2 id [[thread_position_in_grid]])
{
    if (id.x >= n / 2) {
        return;
    }
    uint k = id.x & (span - 1);
    uint i = id.y * n + 2 * id.x - k;
    uint blocks = n / 2 / span;
    ulong u = x[i];
    ulong v = x[i + span];
    if (span == 1) {
        u = reduce(u, 2 * field.q);
        v = reduce(v, 2 * field.q);
    }
    inverse_butterfly_lazy_2q(u, v, w[blocks + reversed((id.x - k) / span, blocks)], field.q);
    x[i] = u;
    x[i + span] = v;
}
