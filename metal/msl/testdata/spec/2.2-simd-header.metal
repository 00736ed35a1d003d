// The types of simd/simd.h, which a header shares with the host: vectors and matrices under their names in C, and in namespace simd.
#include <metal_stdlib>
#include <simd/simd.h>
using namespace metal;

typedef struct {
    vector_float2 at;
    vector_uint3 count;
    simd_float4x4 turn;
    matrix_float2x2 small;
} Shared;
static_assert(sizeof(Shared) == 112, "8 bytes, 8 free, 16, 64 and 16");
// run k 0=float[1 2 0 0]uint[3 4 5 0]float[1 0 0 0 0 2 0 0 0 0 3 0 0 0 0 4 1 2 3 4] 1=float*4 -> 1=float[3 5 3 4]
kernel void k(constant Shared &s, device float *o) {
    simd::float4 v = s.turn * simd::float4(1);
    simd_int2 n = simd_int2(1, 2);
    o[0] = s.at.x + s.at.y;
    o[1] = s.count.z;
    o[2] = v.z;
    o[3] = s.small[1][1] * n.x;
}
