// What is carried on is the sum of the last numbers that were scanned, without what was carried to them.

#include <metal_stdlib>
using namespace metal;

kernel void cumsum(device float* dst [[buffer(0)]],
                   device const float* x [[buffer(1)]],
                   constant uint& n [[buffer(2)]],
                   threadgroup float* part [[threadgroup(0)]],
                   uint row [[threadgroup_position_in_grid]],
                   uint j [[thread_position_in_threadgroup]],
                   uint threads [[threads_per_threadgroup]])
{
    device const float* from = x + row * n;
    device float* to = dst + row * n;
    float carry = -0.0f; // to which any number adds up to itself
    for (uint start = 0; start < n; start += threads) {
        float s = start + j < n ? from[start + j] : -0.0f;
        part[j] = s;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint step = 1; step < threads; step *= 2) {
            float before = j >= step ? part[j - step] : -0.0f;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            s = before + s;
            part[j] = s;
            threadgroup_barrier(mem_flags::mem_threadgroup);
        }
        if (start + j < n) {
            to[start + j] = carry + s;
        }
        carry = part[threads - 1];
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
}
