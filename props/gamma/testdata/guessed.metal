#include <metal_stdlib>
using namespace metal;

struct Layout { uint column, step; };

// Right for four threads: each writes four words of a column, column by column or word by word as the strides say, by way of a tile.
kernel void columns(device const float* x, device float* dst, constant Layout& to, threadgroup float* tile [[threadgroup(0)]], uint id [[thread_index_in_threadgroup]])
{
    uint c = id & 3;
    for (uint j = 0; j < 4; j++) { tile[4 * c + (j ^ c)] = x[4 * id + j]; }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint j = 0; j < 4; j++) { dst[c * to.column + j * to.step] = tile[4 * j + (c ^ j)]; }
}

// Right where the strides do not meet, as 1 and n do.
kernel void grid(device const float* x, device float* dst, constant Layout& to, uint i [[thread_position_in_grid]])
{
    for (uint j = 0; j < 8; j++) { dst[(i / 8 * 8 + j) * to.column + i % 8 * to.step] = x[i]; }
}

// Wrong: with every stride some threads write one word, though of one array with 1 alone, and of the other with all others.
kernel void strides(device float* dst, device float* all, constant uint& stride, uint i [[thread_position_in_grid]])
{
    dst[i / stride] = 1.0f;
    dst[i / stride] += 2.0f;
    all[i * (stride - 1)] = float(i);
}

// Wrong, with every stride: the element of a neighbour is read while that writes it.
kernel void shift(device float* dst, constant uint& stride, uint i [[thread_position_in_grid]])
{
    dst[i * stride] = dst[(i + 1) * stride] + 1.0f;
}

// Wrong for every number of threads above two: a barrier is missing between the steps.
kernel void halves(device float* dst, threadgroup float* part [[threadgroup(0)]], uint id [[thread_index_in_threadgroup]], uint count [[threads_per_threadgroup]])
{
    part[id] = float(id);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint half_count = count / 2; half_count > 0; half_count /= 2) {
        if (id < half_count) { part[id] += part[id + half_count]; }
    }
    if (id == 0) { dst[0] = part[0]; }
}

// Wrong: a row is written over while others still read it. With one row it is not, since then nothing is written twice.
kernel void rows(device const float* x, device float* dst, constant uint& count, threadgroup float* row [[threadgroup(0)]], uint id [[thread_index_in_threadgroup]], uint width [[threads_per_threadgroup]])
{
    for (uint k = 0; k < count; k++) {
        row[id] = x[k * width + id];
        threadgroup_barrier(mem_flags::mem_threadgroup);
        dst[k * width + id] = row[width - 1 - id];
    }
}

// Right where no two indices are the same, as in a permutation.
kernel void scatter(device const float* x, device const uint* to, device float* dst, uint i [[thread_position_in_grid]]) { dst[to[i]] = x[i]; }

// Wrong: a histogram without atomics, whose bins are the same for some threads, or nobody would count.
kernel void histogram(device const uint* bin, device uint* count, uint i [[thread_position_in_grid]]) { count[bin[i]] += 1; }
