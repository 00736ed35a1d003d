// The pragmas are missing: the compiler may fuse a product with the addition in its statement, and the claim
// is that every product is rounded.

#include <metal_stdlib>
using namespace metal;

// halve adds the threads' values by halving; thread 0 has the sum.
static float halve(threadgroup float* partial, float s, uint lid, uint width)
{
    partial[lid] = s;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint half_width = width / 2; half_width > 0; half_width /= 2) {
        if (lid < half_width) {
            partial[lid] += partial[lid + half_width];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    return partial[0];
}

kernel void dot_tree(device const float* x [[buffer(0)]],
                     device const float* y [[buffer(1)]],
                     device float* out [[buffer(2)]],
                     constant uint& n [[buffer(3)]],
                     threadgroup float* partial [[threadgroup(0)]],
                     uint lid [[thread_index_in_threadgroup]],
                     uint width [[threads_per_threadgroup]])
{
    float s = -0.0f;
    for (uint i = lid; i < n; i += width) {
        s += x[i] * y[i];
    }
    s = halve(partial, s, lid, width);
    if (lid == 0) {
        out[0] = s;
    }
}
