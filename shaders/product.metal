// Products of matrices. Host code and claim: product.go.

#include <metal_stdlib>
using namespace metal;

// product_naive writes a·b for a of m by k and b of k by n, row by row: each thread adds the products of one result from the left.
//
// Error:    k·u·Σ|a·b|.
// Launch:   a thread a result, and more. Barriers: none.
kernel void product_naive(device float* dst [[buffer(0)]],
                          device const float* a [[buffer(1)]],
                          device const float* b [[buffer(2)]],
                          constant uint& m [[buffer(3)]],
                          constant uint& k [[buffer(4)]],
                          constant uint& n [[buffer(5)]],
                          uint at [[thread_position_in_grid]])
{
    if (at < m * n) {
        float s = 0.0f;
        for (uint l = 0; l < k; l++) {
            s += a[at / n * k + l] * b[l * n + at % n];
        }
        dst[at] = s;
    }
}

// product_tiled is product_naive in tiles: each threadgroup makes a tile of the result from tiles of a and b in
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

// product_split_k is product_tiled with each sum in four parts, one for each layer of threads: the parts' sums are added from the left.
//
// Error:    k·u·Σ|a·b|.
// Launch:   8 by 8 by 4 threads a tile of 8 by 8. Barriers: 2 for each 8 columns of a quarter of a, and 1.
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
    uint part = (k + 3) / 4;
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
