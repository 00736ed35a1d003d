// Products are added in half.

#include <metal_stdlib>
using namespace metal;

kernel void product_half(device half* dst [[buffer(0)]],
                         device const half* a [[buffer(1)]],
                         device const half* b [[buffer(2)]],
                         constant uint& m [[buffer(3)]],
                         constant uint& k [[buffer(4)]],
                         constant uint& n [[buffer(5)]],
                         uint2 at [[thread_position_in_grid]],
                         uint2 in [[thread_position_in_threadgroup]])
{
    threadgroup half left[8][8];
    threadgroup half right[8][8];
    half s = 0.0h;
    for (uint l = 0; l < k; l += 8) {
        left[in.y][in.x] = at.y < m && l + in.x < k ? a[at.y * k + l + in.x] : half(0.0h);
        right[in.y][in.x] = l + in.y < k && at.x < n ? b[(l + in.y) * n + at.x] : half(0.0h);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint i = 0; i < min(8u, k - l); i++) {
            s += left[in.y][i] * right[i][in.x];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (at.y < m && at.x < n) {
        dst[at.y * n + at.x] = s;
    }
}
