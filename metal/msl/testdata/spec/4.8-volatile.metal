// volatile memory is read and written each time.
#include <metal_stdlib>
using namespace metal;

// run k threads=2 0=int[3 4] 1=int*2 -> 0=int[5 6] 1=int[11 13]
kernel void k(volatile device int *x, device int *o, uint i [[thread_position_in_grid]]) {
    x[i] += 1;
    x[i] += 1;
    int a = x[i];
    o[i] = a + x[i] + 1;
}
