// All stages run in one dispatch, with a barrier between them that orders the threads of one threadgroup alone: others may be at
// another stage. This is the seed's first fault.

#include <metal_stdlib>
using namespace metal;

#include "modular.h"

#define NTT_FIELD mont63
#include "ntt.metal"

kernel void ntt_forward_stages(device ulong* x [[buffer(0)]],
                               device const ulong* w [[buffer(1)]],
                               constant mont63& f [[buffer(2)]],
                               constant uint& n [[buffer(3)]],
                               uint2 id [[thread_position_in_grid]])
{
    mont63 field = f;
    for (uint span = 1; span < n; span *= 2) {
        if (id.x < n / 2) {
            uint k = id.x & (span - 1);
            uint i = id.y * n + 2 * id.x - k;
            ulong u = x[i];
            ulong v = x[i + span];
            forward_butterfly(field, u, v, w[span + k]);
            x[i] = u;
            x[i + span] = v;
        }
        threadgroup_barrier(mem_flags::mem_device);
    }
}

kernel void ntt_inverse_stages(device ulong* x [[buffer(0)]],
                               device const ulong* w [[buffer(1)]],
                               constant mont63& f [[buffer(2)]],
                               constant uint& n [[buffer(3)]],
                               uint2 id [[thread_position_in_grid]])
{
    mont63 field = f;
    for (uint span = n / 2; span > 0; span /= 2) {
        if (id.x < n / 2) {
            uint k = id.x & (span - 1);
            uint i = id.y * n + 2 * id.x - k;
            ulong u = x[i];
            ulong v = x[i + span];
            inverse_butterfly(field, u, v, w[span + k]);
            x[i] = u;
            x[i + span] = v;
        }
        threadgroup_barrier(mem_flags::mem_device);
    }
}
