// Dot products of n pairs, with and without fused multiply-adds. Host code and claims: dot.go.

#include <metal_stdlib>
using namespace metal;

#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#else
#pragma clang fp reassociate(off)
#pragma clang fp contract(off)
#endif

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

// dot_tree rounds every product and adds as sum_tree does.
//
// Tree:     down/W over rounded products, of W threads, W a power of two.
// Launch:   1 threadgroup of W threads; 4·W bytes of threadgroup memory. Barriers: 1 + log2 W.
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

// dot_fma takes every product of a thread into its sum by a fused multiply-add, the first one with -0.
//
// Tree:     down/W over products fused into the threads' sums.
//           That is the fused schedule of down/W if every thread has two products, or W is 1.
// Launch:   as dot_tree.
kernel void dot_fma(device const float* x [[buffer(0)]],
                    device const float* y [[buffer(1)]],
                    device float* out [[buffer(2)]],
                    constant uint& n [[buffer(3)]],
                    threadgroup float* partial [[threadgroup(0)]],
                    uint lid [[thread_index_in_threadgroup]],
                    uint width [[threads_per_threadgroup]])
{
    float s = -0.0f;
    for (uint i = lid; i < n; i += width) {
        s = fma(x[i], y[i], s);
    }
    s = halve(partial, s, lid, width);
    if (lid == 0) {
        out[0] = s;
    }
}

// dot_open leaves it to the compiler which products are fused into the threads' sums: across statements, in any math mode, and
// nothing else.
//
// Tree:     down/W over products, each rounded or fused.
// Launch:   as dot_tree.
kernel void dot_open(device const float* x [[buffer(0)]],
                     device const float* y [[buffer(1)]],
                     device float* out [[buffer(2)]],
                     constant uint& n [[buffer(3)]],
                     threadgroup float* partial [[threadgroup(0)]],
                     uint lid [[thread_index_in_threadgroup]],
                     uint width [[threads_per_threadgroup]])
{
#if __METAL_VERSION__ >= 320
#pragma METAL fp contract(fast)
#else
#pragma clang fp contract(fast)
#endif
    float s = -0.0f;
    for (uint i = lid; i < n; i += width) {
        float product = x[i] * y[i];
        s += product;
    }
    s = halve(partial, s, lid, width);
    if (lid == 0) {
        out[0] = s;
    }
}
