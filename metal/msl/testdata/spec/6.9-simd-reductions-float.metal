// Of floats whose sum is exact in every order, of half, and of vectors.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 width=4 0=float[0.5 1 1.5 2] 1=float*4 -> 1=float[5 1.5 2 20]
kernel void k(device const float *x, device float *o, uint i [[thread_position_in_grid]]) {
    float s = simd_sum(x[i]), p = simd_product(x[i]);
    half m = simd_max(half(x[i]));
    float2 v = simd_sum(float2(x[i], 3 * x[i]));
    o[i] = i == 0 ? s : i == 1 ? p : i == 2 ? float(m) : v.x + v.y;
}
