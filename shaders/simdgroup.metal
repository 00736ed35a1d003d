// Products of matrices by the matrices that a simdgroup holds. Host code and claim: simdgroup.go.

#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;

// product_simdgroup writes a·b for a of m by k and b of k by n, row by row, in tiles of 16 by 16: each of four simdgroups makes a matrix of 8 by 8 from matrices
// of a tile's 16 rows of a and 16 columns of b in threadgroup memory, with zeros beyond the edges. Sums are in float.
//
// Error:    k·u·Σ|a·b|.
// Launch:   128 threads in four simdgroups a tile. Barriers: 2 for each 8 columns of a, and 1.
template <typename T>
kernel void product_simdgroup_of(device T* dst [[buffer(0)]],
                                 device const T* a [[buffer(1)]],
                                 device const T* b [[buffer(2)]],
                                 constant uint& m [[buffer(3)]],
                                 constant uint& k [[buffer(4)]],
                                 constant uint& n [[buffer(5)]],
                                 uint2 at [[threadgroup_position_in_grid]],
                                 uint id [[thread_index_in_threadgroup]],
                                 uint group [[simdgroup_index_in_threadgroup]])
{
    threadgroup T left[16][8];
    threadgroup T right[8][16];
    threadgroup float tile[16][16];
    uint row = 16 * at.y;
    uint column = 16 * at.x;
    uint y = group / 2 * 8;
    uint x = group % 2 * 8;
    simdgroup_float8x8 sum = make_filled_simdgroup_matrix<float, 8, 8>(0.0f);
    for (uint l = 0; l < k; l += 8) {
        uint i = row + id / 8;
        uint depth = l + id % 8;
        left[id / 8][id % 8] = i < m && depth < k ? a[i * k + depth] : T(0);
        depth = l + id / 16;
        uint j = column + id % 16;
        right[id / 16][id % 16] = depth < k && j < n ? b[depth * n + j] : T(0);
        threadgroup_barrier(mem_flags::mem_threadgroup);
        simdgroup_matrix<T, 8, 8> p;
        simdgroup_matrix<T, 8, 8> q;
        simdgroup_load(p, &left[y][0], 8);
        simdgroup_load(q, &right[0][x], 16);
        simdgroup_multiply_accumulate(sum, p, q, sum);
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    simdgroup_store(sum, &tile[y][x], 16);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = id; i < 256; i += 128) {
        if (row + i / 16 < m && column + i % 16 < n) {
            dst[(row + i / 16) * n + column + i % 16] = T(tile[i / 16][i % 16]);
        }
    }
}

template [[host_name("product_simdgroup")]] [[kernel]] decltype(product_simdgroup_of<float>) product_simdgroup_of<float>;
template [[host_name("product_simdgroup_half")]] [[kernel]] decltype(product_simdgroup_of<half>) product_simdgroup_of<half>;
