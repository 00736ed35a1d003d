// There is no barrier after stages whose butterflies stay within a simdgroup of 32 threads, as if its threads were in step.

#include <metal_stdlib>
using namespace metal;

#include "modular.h"

#define NTT_FIELD mont63
#include "ntt.metal"

kernel void ntt_forward_warp(device const ulong* x [[buffer(0)]],
                             device ulong* z [[buffer(1)]],
                             device const ulong* w [[buffer(2)]],
                             constant mont63& f [[buffer(3)]],
                             constant uint& n [[buffer(4)]],
                             constant uint& tile [[buffer(5)]],
                             threadgroup ulong* t [[threadgroup(0)]],
                             uint2 group [[threadgroup_position_in_grid]],
                             uint id [[thread_index_in_threadgroup]],
                             uint2 width [[threads_per_threadgroup]])
{
    if (group.x >= n / tile) {
        return;
    }
    mont63 field = f;
    uint first = group.x * tile;
    uint base = group.y * n;
    for (uint i = id; i < tile; i += width.x) {
        t[i] = x[base + reversed(first + i, n)];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint span = 1; span < tile; span *= 2) {
        if (id < tile / 2) {
            uint k = id & (span - 1);
            uint i = 2 * id - k;
            ulong u = t[i];
            ulong v = t[i + span];
            forward_butterfly(field, u, v, w[span + k]);
            t[i] = u;
            t[i + span] = v;
        }
        if (span >= 32) {
            threadgroup_barrier(mem_flags::mem_threadgroup);
        }
    }
    for (uint i = id; i < tile; i += width.x) {
        z[base + first + i] = t[i];
    }
}
