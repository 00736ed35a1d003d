// simdgroup_float8x8: loaded, multiplied by itself and stored by the 32 threads of a simdgroup together. The matrix is 2 on its diagonal.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;
// run k threads=32 width=32 0=float*64 1=float*1 -> 1=float[72]
kernel void k(device float *x, device float *o, uint i [[thread_position_in_grid]]) {
    for (uint j = i; j < 64; j += 32) x[j] = j / 8 == j % 8 ? 2 : 0;
    simdgroup_barrier(mem_flags::mem_device);
    simdgroup_float8x8 a, b;
    simdgroup_load(a, x, 8);
    simdgroup_multiply(b, a, a);
    simdgroup_multiply_accumulate(b, b, a, simdgroup_float8x8(1));
    threadgroup float t[64];
    simdgroup_store(b, t, 8);
    simdgroup_barrier(mem_flags::mem_threadgroup);
    float s = 0;
    for (int j = 0; j < 64; j++) s += t[j];
    if (i == 0) o[0] = s;
}
