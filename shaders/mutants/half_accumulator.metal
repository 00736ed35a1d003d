// The threads add in half, and the claim is float.

#include <metal_stdlib>
using namespace metal;

#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#else
#pragma clang fp reassociate(off)
#pragma clang fp contract(off)
#endif

[[kernel]] void sum_half(device const half* x [[buffer(0)]],
                       device float* out [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       threadgroup float* partial [[threadgroup(0)]],
                       uint lid [[thread_index_in_threadgroup]],
                       uint width [[threads_per_threadgroup]])
{
    half s = -0.0h;
    for (uint i = lid; i < n; i += width) {
        s += x[i];
    }
    partial[lid] = float(s);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint half_width = width / 2; half_width > 0; half_width /= 2) {
        if (lid < half_width) {
            partial[lid] += partial[lid + half_width];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (lid == 0) {
        out[0] = partial[0];
    }
}
