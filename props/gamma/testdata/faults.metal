#include <metal_stdlib>
using namespace metal;

kernel void race(device const float* x, device float* out, uint j [[thread_index_in_threadgroup]], uint count [[threads_per_threadgroup]])
{
    threadgroup float part[256];
    part[j] = x[j];
#ifdef FIXED
    threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
    out[j] = part[(j + 1) % count];
}

kernel void bounds(device const float* x, device float* out, uint j [[thread_position_in_grid]])
{
    float part[4] = {0.0f, 1.0f, 2.0f, 3.0f};
#ifdef FIXED
    out[j] = x[j] + part[j & 3];
#else
    out[j] = x[j] + part[(j & 3) + 1];
#endif
}

kernel void init(device const float* x, device float* out, constant uint& n, uint j [[thread_index_in_threadgroup]])
{
    threadgroup float part[256];
#ifdef FIXED
    part[j] = 0.0f;
    threadgroup_barrier(mem_flags::mem_threadgroup);
#endif
    if (j < n / 2) { part[j] = x[j]; }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (j < n) { out[j] = part[j]; }
}

kernel void unwritten(device const float* x, device float* each, constant uint& n, uint j [[thread_position_in_grid]])
{
#ifdef FIXED
    if (j < n) { each[j] = 2.0f * x[j]; }
#else
    if (j + 1 < n) { each[j] = 2.0f * x[j]; }
#endif
}

kernel void barrier(device const float* x, device float* out, uint j [[thread_index_in_threadgroup]])
{
    threadgroup float part[256];
    part[j] = x[j];
#ifdef FIXED
    threadgroup_barrier(mem_flags::mem_threadgroup);
#else
    if (j < 100) { threadgroup_barrier(mem_flags::mem_threadgroup); }
#endif
    out[j] = part[j];
}

kernel void order(device const float* x, device atomic_float* sum, device float* each, uint i [[thread_position_in_grid]])
{
#ifdef FIXED
    each[i] = x[i];
#else
    each[i] = atomic_fetch_add_explicit(sum, x[i], memory_order_relaxed);
#endif
}

kernel void integers(device const int* x, device int* out, uint i [[thread_position_in_grid]])
{
#ifdef FIXED
    out[i] = 7 / max(x[i], 1);
#else
    out[i] = 7 / x[i];
#endif
}

kernel void asserts(device const int* x, device int* out, uint i [[thread_position_in_grid]])
{
#ifndef FIXED
    assert(x[i] > 0);
#endif
    out[i] = max(x[i], 1);
}
