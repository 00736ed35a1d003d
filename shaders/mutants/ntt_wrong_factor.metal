// One factor is wrong, on both sides: the second butterfly of the widest stage takes that of the first. The one side is the inverse of the
// other still.

#include <metal_stdlib>
using namespace metal;

#include "modular.h"

#define NTT_FIELD mont63
#include "ntt.metal"

kernel void ntt_forward_factor(device ulong* x [[buffer(0)]],
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
    uint k = id.x & (span - 1);
    uint factor = span == n / 2 && k == 1 ? span : span + k;
    uint i = id.y * n + 2 * id.x - k;
    ulong u = x[i];
    ulong v = x[i + span];
    forward_butterfly(field, u, v, w[factor]);
    x[i] = u;
    x[i + span] = v;
}

kernel void ntt_inverse_factor(device ulong* x [[buffer(0)]],
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
    uint k = id.x & (span - 1);
    uint factor = span == n / 2 && k == 1 ? span : span + k;
    uint i = id.y * n + 2 * id.x - k;
    ulong u = x[i];
    ulong v = x[i + span];
    inverse_butterfly(field, u, v, w[factor]);
    x[i] = u;
    x[i + span] = v;
}
