// The barriers come before the steps of the halving, with none after the last: thread 1 stores its sum of the
// next row over the slot that thread 0 is still reading (report B07).

#include <metal_stdlib>
using namespace metal;

#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#else
#pragma clang fp reassociate(off)
#pragma clang fp contract(off)
#endif

kernel void sum_rows(device const float* x [[buffer(0)]],
                     device float* out [[buffer(1)]],
                     constant uint& n [[buffer(2)]],
                     constant uint& rows [[buffer(3)]],
                     threadgroup float* partial [[threadgroup(0)]],
                     uint lid [[thread_index_in_threadgroup]],
                     uint width [[threads_per_threadgroup]],
                     uint group [[threadgroup_position_in_grid]],
                     uint groups [[threadgroups_per_grid]])
{
    for (uint row = group; row < rows; row += groups) {
        device const float* a = x + row * n;
        float s = -0.0f;
        for (uint i = lid; i < n; i += width) {
            s += a[i];
        }
        partial[lid] = s;
        for (uint half_width = width / 2; half_width > 0; half_width /= 2) {
            threadgroup_barrier(mem_flags::mem_threadgroup);
            if (lid < half_width) {
                partial[lid] += partial[lid + half_width];
            }
        }
        if (lid == 0) {
            out[row] = partial[0];
        }
    }
}
