#include <metal_stdlib>
using namespace metal;

constant uint width [[function_constant(0)]];
constant bool twice [[function_constant(1)]];
constant float unset [[function_constant(2)]];
constant float scale = is_function_constant_defined(unset) ? unset : 2.0f;

// Right for every width, and wrong where twice is set: the last thread reads one past the end.
kernel void blocks(device const float* x, device float* out, constant uint& n, uint i [[thread_position_in_grid]])
{
    if (i >= n) { return; }
    out[i] = x[i / width * width] * scale + (twice ? x[i + 1] : 0.0f);
}

// Right where n is a multiple of four.
kernel void fours(device const float* x, device float* out, constant uint& n, uint i [[thread_position_in_grid]])
{
    if (i < (n + 3) / 4) { out[i] = x[4 * i] + x[4 * i + 1] + x[4 * i + 2] + x[4 * i + 3]; }
}

// Right, of two dimensions.
kernel void transpose(device const float* x, device float* out, constant uint& rows, constant uint& cols, uint2 at [[thread_position_in_grid]])
{
    if (at.x < cols && at.y < rows) { out[at.x * rows + at.y] = x[at.y * cols + at.x]; }
}

// Wrong: the threads of a column write one word. Each row of a grid of one dimension is right.
kernel void last(device const float* x, device float* out, constant uint& cols, uint2 at [[thread_position_in_grid]])
{
    out[at.x] = x[at.y * cols + at.x];
}

// Right for matrices of 16 columns or more, n/256 of them: a thread turns 16 words of one around.
kernel void columns(device float* x, constant uint& n, threadgroup float* t, uint id [[thread_index_in_threadgroup]])
{
    uint stride = n / 256, c = id % 16, k = id / 16;
    for (uint j = 0; j < 16; j++) { t[(16 * k + j) * 16 + c] = x[(16 * k + j) * stride + c]; }
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    for (uint j = 0; j < 16; j++) { x[(16 * j + k) * stride + c] = t[(16 * (15 - j) + k) * 16 + c]; }
}

// Right: sums of two arrays that are one parameter.
kernel void pair(array<device const float*, 2> x, device float* out, uint i [[thread_position_in_grid]])
{
    float s = 0.0f;
    for (uint k = 0; k < 2; k++) { s += x[k][i]; }
    out[i] = s;
}

constant uint2 window [[function_constant(3)]];
constant float4 scales [[function_constant(4)]];

// Right while the window is 0: it reads the element that is window.x + window.y on.
kernel void shifted(device const float* x, device float* out, constant uint& n, uint i [[thread_position_in_grid]])
{
    if (i < n) { out[i] = x[i + window.x + window.y] * scales.x + scales.w; }
}
