#include <metal_stdlib>
using namespace metal;

// Right: a norm of rows, in one threadgroup, and an axpy by threads.
kernel void rms_norm(device const float* x, device float* out, constant uint& n, constant float& eps, uint j [[thread_index_in_threadgroup]],
                     uint lane [[thread_index_in_simdgroup]], uint group [[simdgroup_index_in_threadgroup]], uint count [[threads_per_threadgroup]])
{
    threadgroup float part[32];
    float s = 0.0f;
    for (uint i = j; i < n; i += count) { s += x[i] * x[i]; }
    s = simd_sum(s);
    if (group == 0) { part[lane] = 0.0f; }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (lane == 0) { part[group] = s; }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s = simd_sum(part[lane]);
    float scale = rsqrt(s / float(n) + eps);
    for (uint i = j; i < n; i += count) { out[i] = x[i] * scale; }
}

struct Sizes { uint rows; ulong stride; float scale; };

kernel void axpy(device const float4* x, device float4* y, constant Sizes& p, uint i [[thread_position_in_grid]])
{
    y[i * p.stride] += p.scale * x[i];
}

kernel void gather(device const half* table, device const uint* index, device half* out, uint i [[thread_position_in_grid]])
{
    out[i] = table[index[i]];
}
