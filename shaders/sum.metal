// Sums of n numbers, each with another schedule. Host code and claims: sum.go.
//
// Every kernel that promises bits is compiled in safe math mode without contraction: the two pragmas below, which no option of
// Metal replaces. Lanes without an element hold -0, the neutral element of addition: x + -0 is x, for x = -0 too.

#include <metal_stdlib>
using namespace metal;

#if __METAL_VERSION__ >= 320
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
#else
#pragma clang fp reassociate(off)
#pragma clang fp contract(off)
#endif

// sum_serial adds from the left, in one thread.
//
// Tree:     left; height n-1.
// Launch:   1 thread. Barriers: none.
kernel void sum_serial(device const float* x [[buffer(0)]],
                       device float* out [[buffer(1)]],
                       constant uint& n [[buffer(2)]])
{
    float s = x[0];
    for (uint i = 1; i < n; i++) {
        s += x[i];
    }
    out[0] = s;
}

// sum_kahan adds from the left with Kahan's compensation, in one thread.
//
// Scheme:   y = x-c; t = s+y; c = (t-s)-y; s = t.
// Special:  a sum that is not finite is made again as Neumaier does, whose error words cannot spoil an infinity.
// Launch:   1 thread. Barriers: none.
kernel void sum_kahan(device const float* x [[buffer(0)]],
                      device float* out [[buffer(1)]],
                      constant uint& n [[buffer(2)]])
{
    float s = x[0];
    float c = 0.0f;
    for (uint i = 1; i < n; i++) {
        float y = x[i] - c;
        float t = s + y;
        c = (t - s) - y;
        s = t;
    }
    if (!isfinite(s)) {
        s = x[0];
        c = 0.0f;
        for (uint i = 1; i < n; i++) {
            float v = x[i];
            float t = s + v;
            c += fabs(s) >= fabs(v) ? (s - t) + v : (v - t) + s;
            s = t;
        }
        if (isfinite(c) && c != 0.0f) {
            s += c;
        }
    }
    out[0] = s;
}

// sum_twosum adds from the left, in one thread, and the errors of the additions beside, each found by Knuth's two-sum; they are
// added at the end.
//
// Scheme:   t = s+v; z = t-s; e = (s-(t-z)) + (v-z); c = c+e; s = t.
// Special:  where a two-sum overflows though the sum does not, it is made again as Neumaier does. A sum that is not finite is s.
// Launch:   1 thread. Barriers: none.
kernel void sum_twosum(device const float* x [[buffer(0)]],
                       device float* out [[buffer(1)]],
                       constant uint& n [[buffer(2)]])
{
    float s = x[0];
    float c = 0.0f;
    for (uint i = 1; i < n; i++) {
        float v = x[i];
        float t = s + v;
        float z = t - s;
        c += (s - (t - z)) + (v - z);
        s = t;
    }
    if (isfinite(s) && !isfinite(c)) {
        s = x[0];
        c = 0.0f;
        for (uint i = 1; i < n; i++) {
            float v = x[i];
            float t = s + v;
            c += fabs(s) >= fabs(v) ? (s - t) + v : (v - t) + s;
            s = t;
        }
    }
    out[0] = isfinite(c) && c != 0.0f ? s + c : s;
}

// sum_tree adds thread j's elements j, j+T, j+2T, … from the left, T being the number of threads in the grid, and then the
// threads of each threadgroup by halving: out[g] is the sum of threadgroup g.
//
// Tree:     of one threadgroup of W threads, W a power of two: down/W. Of G threadgroups, and their sums added by one more
//           dispatch of one threadgroup: simd/W/(G·W) for G <= W.
// Launch:   G threadgroups of W threads; 4·W bytes of threadgroup memory. Barriers: 1 + log2 W.
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
    for (uint i = gid; i < n; i += threads) {
        s += x[i];
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

// sum_float4 adds, in thread j of W, the vectors of four elements j, j+W, j+2W, … component by component from the left, then the
// components as (x+y)+(z+w), and then the threads by halving. Elements that are missing in the last vector are -0.
//
// Tree:     that of float4Tree in schedule.go.
// Launch:   1 threadgroup of W threads, W a power of two; 4·W bytes of threadgroup memory. Barriers: 1 + log2 W.
kernel void sum_float4(device const float* x [[buffer(0)]],
                       device float* out [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       threadgroup float* partial [[threadgroup(0)]],
                       uint lid [[thread_index_in_threadgroup]],
                       uint width [[threads_per_threadgroup]])
{
    device const float4* vectors = reinterpret_cast<device const float4*>(x);
    float4 s = float4(-0.0f);
    for (uint i = lid; i < n / 4; i += width) {
        s += vectors[i];
    }
    if (n % 4 != 0 && lid == n / 4 % width) {
        float4 last = float4(-0.0f);
        for (uint i = 0; i < n % 4; i++) {
            last[i] = x[n / 4 * 4 + i];
        }
        s += last;
    }
    partial[lid] = (s.x + s.y) + (s.z + s.w);
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

// at returns element i of n, and -0 where there is none.
inline float at(device const float* x, uint n, uint i) { return i < n ? x[i] : -0.0f; }

// four_at returns the elements from 4·v on.
inline float4 four_at(device const float* x, uint n, uint v)
{
    return float4(at(x, n, 4 * v), at(x, n, 4 * v + 1), at(x, n, 4 * v + 2), at(x, n, 4 * v + 3));
}

// sum_tiles is for long vectors. A tile is 4·W vectors of four elements; threadgroup g of G takes the tiles g, g+G, g+2G, …. Of each
// tile thread j adds the vectors j, j+W, j+2W and j+3W to sums of four components of its own, four vectors in all; then it adds
// the sums as (0+1)+(2+3), the components as (x+y)+(z+w), and then the threads by halving: out[g] is the sum of threadgroup g.
//
// Tree:     that of tilesTree in schedule.go; one more dispatch of one threadgroup adds the sums of several in the same way.
// Launch:   G threadgroups of W threads, W a power of two; 4·W bytes of threadgroup memory. Barriers: 1 + log2 W.
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
    if (group == whole % groups) {
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

// sum_rows adds the rows of a matrix, n elements each, each row as sum_tree adds with one threadgroup. Threadgroup g takes the rows
// g, g+G, g+2G, … of G threadgroups. The barrier after the last
// step keeps the threads of the next row from storing what is still read; slot 0 is thread 0's own then.
//
// Tree:     down/W, of W threads, W a power of two.
// Launch:   G threadgroups of W threads; 4·W bytes of threadgroup memory. Barriers: 1 + log2 W a row.
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
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint half_width = width / 2; half_width > 0; half_width /= 2) {
            if (lid < half_width) {
                partial[lid] += partial[lid + half_width];
            }
            threadgroup_barrier(mem_flags::mem_threadgroup);
        }
        if (lid == 0) {
            out[row] = partial[0];
        }
    }
}

// sum_simd is sum_tree for one threadgroup, with simd_sum inside each simdgroup and simd_sum of their results in the first.
//
// Tree:     any: Metal leaves the order of simd_sum open.
// Launch:   1 threadgroup of any number of threads and any SIMD width; 4 bytes of threadgroup memory a simdgroup. Barriers: 1.
kernel void sum_simd(device const float* x [[buffer(0)]],
                     device float* out [[buffer(1)]],
                     constant uint& n [[buffer(2)]],
                     threadgroup float* partial [[threadgroup(0)]],
                     uint lid [[thread_index_in_threadgroup]],
                     uint threads [[threads_per_threadgroup]],
                     uint lane [[thread_index_in_simdgroup]],
                     uint lanes [[threads_per_simdgroup]],
                     uint simdgroup [[simdgroup_index_in_threadgroup]],
                     uint simdgroups [[simdgroups_per_threadgroup]])
{
    float s = -0.0f;
    for (uint i = lid; i < n; i += threads) {
        s += x[i];
    }
    s = simd_sum(s);
    if (lane == 0) {
        partial[simdgroup] = s;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (simdgroup == 0) {
        float t = -0.0f;
        for (uint i = lane; i < simdgroups; i += lanes) {
            t += partial[i];
        }
        t = simd_sum(t);
        if (lane == 0) {
            out[0] = t;
        }
    }
}

// sum_atomic lets every thread add its element to the result, which the host has set to -0.
//
// Tree:     any, another each time.
// Launch:   at least n threads. Barriers: none.
kernel void sum_atomic(device const float* x [[buffer(0)]],
                       device atomic_float* out [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       uint gid [[thread_position_in_grid]])
{
    if (gid < n) {
        atomic_fetch_add_explicit(out, x[gid], memory_order_relaxed);
    }
}

// sum_wide is sum_tree for one threadgroup on elements of a narrower type, added in float: conversion is exact.
//
// Tree:     down/W, of W threads, W a power of two.
// Launch:   1 threadgroup of W threads; 4·W bytes of threadgroup memory. Barriers: 1 + log2 W.
template <typename T>
[[kernel]] void sum_wide(device const T* x [[buffer(0)]],
                         device float* out [[buffer(1)]],
                         constant uint& n [[buffer(2)]],
                         threadgroup float* partial [[threadgroup(0)]],
                         uint lid [[thread_index_in_threadgroup]],
                         uint width [[threads_per_threadgroup]])
{
    float s = -0.0f;
    for (uint i = lid; i < n; i += width) {
        s += float(x[i]);
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
        out[0] = partial[0];
    }
}

template [[host_name("sum_half")]] [[kernel]] void sum_wide<half>(
    device const half*, device float*, constant uint&, threadgroup float*, uint, uint);
template [[host_name("sum_bfloat")]] [[kernel]] void sum_wide<bfloat>(
    device const bfloat*, device float*, constant uint&, threadgroup float*, uint, uint);

// sum_follow runs one level of any schedule: value[first + i] = value[l] + value[r], (l, r) being operands[i]. The values of
// the leaves come first, then those of the nodes, level by level.
//
// Tree:     the one that the host writes into operands.
// Launch:   at least count threads, a dispatch a level. Barriers: none; the dispatches are ordered.
kernel void sum_follow(device float* value [[buffer(0)]],
                       device const uint2* operands [[buffer(1)]],
                       constant uint& first [[buffer(2)]],
                       constant uint& count [[buffer(3)]],
                       uint gid [[thread_position_in_grid]])
{
    if (gid < count) {
        uint2 o = operands[gid];
        value[first + gid] = value[o.x] + value[o.y];
    }
}
