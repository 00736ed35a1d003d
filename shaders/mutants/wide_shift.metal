// Which threads have an element is kept in a mask of 32 bits, made by a shift by their number: with 32 of
// them, which is 0 modulo the width of the type, the mask is empty.

#include <metal_stdlib>
using namespace metal;

#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#else
#pragma clang fp reassociate(off)
#pragma clang fp contract(off)
#endif

kernel void sum_tree(device const float* x [[buffer(0)]],
                     device float* out [[buffer(1)]],
                     constant uint& n [[buffer(2)]],
                     threadgroup float* partial [[threadgroup(0)]],
                     uint gid [[thread_position_in_grid]],
                     uint threads [[threads_per_grid]],
                     uint lid [[thread_index_in_threadgroup]],
                     uint width [[threads_per_threadgroup]],
                     uint group [[threadgroup_position_in_grid]])
{
    float s = -0.0f;
    for (uint base = 0; base < n; base += threads) {
        uint mask = (1u << min(n - base, threads)) - 1;
        if ((mask >> gid & 1) != 0) {
            s += x[base + gid];
        }
    }
    partial[lid] = s;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint half_width = width / 2; half_width > 0; half_width /= 2) {
        if (lid < half_width) {
            partial[lid] += partial[lid + half_width];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (lid == 0) {
        out[group] = partial[0];
    }
}
