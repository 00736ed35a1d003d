// A tile is overwritten before every thread has multiplied it.

#include <metal_stdlib>
using namespace metal;

kernel void product_tiled(device float* dst [[buffer(0)]],
                          device const float* a [[buffer(1)]],
                          device const float* b [[buffer(2)]],
                          constant uint& m [[buffer(3)]],
                          constant uint& k [[buffer(4)]],
                          constant uint& n [[buffer(5)]],
                          uint2 at [[thread_position_in_grid]],
                          uint2 in [[thread_position_in_threadgroup]])
{
    threadgroup float left[8][8];
    threadgroup float right[8][8];
    float s = 0.0f;
    for (uint l = 0; l < k; l += 8) {
        left[in.y][in.x] = at.y < m && l + in.x < k ? a[at.y * k + l + in.x] : 0.0f;
        right[in.y][in.x] = l + in.y < k && at.x < n ? b[(l + in.y) * n + at.x] : 0.0f;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint i = 0; i < min(8u, k - l); i++) {
            s += left[in.y][i] * right[i][in.x];
        }
    }
    if (at.y < m && at.x < n) {
        dst[at.y * n + at.x] = s;
    }
}
