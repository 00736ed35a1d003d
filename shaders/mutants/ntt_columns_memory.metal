// The barrier between the two steps of columns orders threadgroup memory alone: words of x are written that other threads read before it.

#include <metal_stdlib>
using namespace metal;

#include "modular.h"

#include "ntt.metal"

kernel [[max_total_threads_per_threadgroup(256)]]
void ntt_forward_columns_memory(device ulong* x [[buffer(0)]],
                                device const ulong2* w [[buffer(1)]],
                                constant mont63& field [[buffer(2)]],
                                constant uint& n [[buffer(3)]],
                                threadgroup ulong* t [[threadgroup(0)]],
                                uint2 group [[threadgroup_position_in_grid]],
                                uint id [[thread_index_in_threadgroup]],
                                uint2 width [[threads_per_threadgroup]])
{
    ulong q = field.q;
    uint c = width.x / 16;
    uint stride = n / 256;
    uint column = id & (c - 1);
    uint k = id >> ctz(c);
    device ulong* p = x + (group.y * n + group.x * c + column);
    ulong a[16];
    device ulong* from = p + k * stride;
#define NTT_LOAD(j) a[j] = from[16 * j * stride];
    NTT_16(NTT_LOAD)
#undef NTT_LOAD
    forward_16_lazy_4q(a, w, 1, q);
    threadgroup ulong* put = t + id;
#define NTT_PUT(j) put[16 * j * c] = a[j];
    NTT_16(NTT_PUT)
#undef NTT_PUT
    threadgroup_barrier(mem_flags::mem_threadgroup);
    threadgroup ulong* take = t + (16 * k * c + column);
#define NTT_TAKE(j) a[j] = take[j * c];
    NTT_16(NTT_TAKE)
#undef NTT_TAKE
    forward_16_lazy_4q(a, w, 16 + k, q);
    device ulong* to = p + 16 * k * stride;
#define NTT_STORE(j) to[j * stride] = a[j];
    NTT_16(NTT_STORE)
#undef NTT_STORE
}
