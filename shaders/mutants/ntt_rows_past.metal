// Rows of transforms past the last one of a batch are done, too, where their number does not fill threadgroups.

#include <metal_stdlib>
using namespace metal;

#include "modular.h"

#include "ntt.metal"

kernel [[max_total_threads_per_threadgroup(256)]]
void ntt_forward_rows_past(device ulong* x [[buffer(0)]],
                           device const ulong2* w [[buffer(1)]],
                           constant mont63& field [[buffer(2)]],
                           constant uint& n [[buffer(3)]],
                           constant uint& count [[buffer(4)]],
                           threadgroup ulong* t [[threadgroup(0)]],
                           uint2 group [[threadgroup_position_in_grid]],
                           uint id [[thread_index_in_threadgroup]],
                           uint2 width [[threads_per_threadgroup]])
{
    ulong q = field.q;
    uint k = id & 15;
    uint row = id / 16;
    uint m = n / 256 + group.x;
    uint transform = group.y * (width.x / 16) + row;
    bool some = true;
    device ulong* p = x + (transform * n + group.x * 256 + k);
    threadgroup ulong* s = t + row * 256;
    if (some) {
        ulong a[16];
#define NTT_LOAD(j) a[j] = p[16 * j];
        NTT_16(NTT_LOAD)
#undef NTT_LOAD
        forward_16_lazy_4q(a, w, m, q);
#define NTT_PUT(j) s[16 * j + (k ^ j)] = a[j];
        NTT_16(NTT_PUT)
#undef NTT_PUT
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (some) {
        ulong a[16];
        threadgroup ulong* part = s + 16 * k;
#define NTT_TAKE(j) a[j] = part[k ^ j];
        NTT_16(NTT_TAKE)
#undef NTT_TAKE
        forward_16_lazy_4q(a, w, 16 * m + k, q);
#define NTT_PUT(j) part[k ^ j] = a[j];
        NTT_16(NTT_PUT)
#undef NTT_PUT
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (some) {
#define NTT_STORE(j) p[16 * j] = reduce(reduce(s[16 * j + (k ^ j)], 2 * q), q);
        NTT_16(NTT_STORE)
#undef NTT_STORE
    }
}
