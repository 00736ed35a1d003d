// simdgroup_half8x8 under its long name, filled, and with elements by thread.
#include <metal_stdlib>
#include <metal_simdgroup_matrix>
using namespace metal;
// run k threads=32 width=32 0=half*64 1=int*2 -> 1=int[192 2]
kernel void k(device half *x, device int *o, uint i [[thread_position_in_grid]]) {
    simdgroup_matrix<half, 8, 8> a = make_filled_simdgroup_matrix<half, 8, 8>(2.0h);
    a.thread_elements()[0] += 1.0h;
    a.thread_elements()[1] += 1.0h;
    simdgroup_store(a, x, 8, ulong2(0, 0));
    simdgroup_barrier(mem_flags::mem_device);
    int s = 0;
    for (int j = 0; j < 64; j++) s += int(x[j]);
    if (i == 0) {
        o[0] = s;
        o[1] = sizeof(a.thread_elements()) / sizeof(half);
    }
}
