// The last tile, which may not be whole, goes to the first threadgroup always: nothing is lost, but the order is another one.

#include <metal_stdlib>
using namespace metal;

#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#else
#pragma clang fp reassociate(off)
#pragma clang fp contract(off)
#endif

inline float at(device const float* x, uint n, uint i) { return i < n ? x[i] : -0.0f; }

inline float4 four_at(device const float* x, uint n, uint v)
{
    return float4(at(x, n, 4 * v), at(x, n, 4 * v + 1), at(x, n, 4 * v + 2), at(x, n, 4 * v + 3));
}

kernel void sum_tiles(device const float* x [[buffer(0)]],
                      device float* out [[buffer(1)]],
                      constant uint& n [[buffer(2)]],
                      threadgroup float* partial [[threadgroup(0)]],
                      uint lid [[thread_index_in_threadgroup]],
                      uint width [[threads_per_threadgroup]],
                      uint group [[threadgroup_position_in_grid]],
                      uint groups [[threadgroups_per_grid]])
{
    device const float4* vectors = reinterpret_cast<device const float4*>(x);
    float4 s0 = float4(-0.0f);
    float4 s1 = float4(-0.0f);
    float4 s2 = float4(-0.0f);
    float4 s3 = float4(-0.0f);
    uint whole = n / (16 * width);
    for (uint tile = group; tile < whole; tile += groups) {
        uint v = 4 * tile * width + lid;
        float4 a = vectors[v];
        float4 b = vectors[v + width];
        float4 c = vectors[v + 2 * width];
        float4 d = vectors[v + 3 * width];
        s0 += a;
        s1 += b;
        s2 += c;
        s3 += d;
    }
    if (group == 0) {
        uint v = 4 * whole * width + lid;
        s0 += four_at(x, n, v);
        s1 += four_at(x, n, v + width);
        s2 += four_at(x, n, v + 2 * width);
        s3 += four_at(x, n, v + 3 * width);
    }
    float4 s = (s0 + s1) + (s2 + s3);
    partial[lid] = (s.x + s.y) + (s.z + s.w);
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
