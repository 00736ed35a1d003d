// Products of matrices. Host code and claim: product.go.

#include <metal_stdlib>
using namespace metal;

// product_tiled writes a·b for a of m by k and b of k by n, row by row: each threadgroup makes a tile of the result from tiles of a and b in
// threadgroup memory, and each thread adds its products from the left.
//
// Error:    k·u·Σ|a·b|.
// Launch:   8 by 8 threads a tile of 8 by 8. Barriers: 2 for each 8 columns of a.
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
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (at.y < m && at.x < n) {
        dst[at.y * n + at.x] = s;
    }
}
