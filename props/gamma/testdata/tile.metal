#include <metal_stdlib>
using namespace metal;

// A product of matrices by tiles: threadgroups of other shapes than 16 by 16 are outside of the tiles, and nobody has to say so.
kernel void product(device const float* a, device const float* b, device float* c, constant uint& m, constant uint& n, constant uint& depth,
                    uint2 at [[thread_position_in_grid]], uint2 t [[thread_position_in_threadgroup]])
{
    threadgroup float left[16][16], right[16][16];
    float s = 0.0f;
    for (uint first = 0; first < depth; first += 16) {
        left[t.y][t.x] = at.y < m && first + t.x < depth ? a[at.y * depth + first + t.x] : 0.0f;
        right[t.y][t.x] = at.x < n && first + t.y < depth ? b[(first + t.y) * n + at.x] : 0.0f;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint k = 0; k < 16; k++) { s += left[t.y][k] * right[k][t.x]; }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (at.y < m && at.x < n) { c[at.y * n + at.x] = s; }
}
