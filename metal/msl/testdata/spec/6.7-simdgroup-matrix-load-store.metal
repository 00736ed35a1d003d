// Loads and stores with a distance between rows, an origin, and transposed. Element (r, c) of memory is 16r + c.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;
// run k threads=32 width=32 0=float*256 1=float*64 2=int*3 -> 2=int[51 66 1]
kernel void k(device float *x, device float *y, device int *o, uint i [[thread_position_in_grid]]) {
    for (uint j = i; j < 256; j += 32) x[j] = j;
    simdgroup_barrier(mem_flags::mem_device);
    simdgroup_float8x8 a;
    simdgroup_load(a, x, 16, ulong2(2, 3));
    simdgroup_store(a, y, 8, 0, true);
    simdgroup_barrier(mem_flags::mem_device);
    if (i != 0) return;
    o[0] = y[8] == 51 ? int(y[8]) : -1;
    o[1] = int(y[1]);
    o[2] = y[0] == 50;
}
