// A diagonal matrix of one number, and products with it.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;
// run k threads=32 width=32 0=float*64 1=float*2 -> 1=float[3 0]
kernel void k(device float *x, device float *o, uint i [[thread_position_in_grid]]) {
    simdgroup_float8x8 a(3), b = make_filled_simdgroup_matrix<float, 8, 8>(0), c;
    simdgroup_multiply_accumulate(c, a, simdgroup_float8x8(1), b);
    simdgroup_store(c, x);
    simdgroup_barrier(mem_flags::mem_device);
    if (i == 0) {
        o[0] = x[9];
        o[1] = x[1];
    }
}
