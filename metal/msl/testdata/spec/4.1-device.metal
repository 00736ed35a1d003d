// Memory of the device: read and written through pointers and references, also within functions.
#include <metal_stdlib>
using namespace metal;

void swap_first(device int *a, device int &b) {
    int t = *a;
    *a = b;
    b = t;
}
// run k 0=int[1 2] 1=int[3 4] -> 0=int[3 4] 1=int[1 2]
kernel void k(device int *a, device int *b) {
    swap_first(a, b[0]);
    swap_first(a + 1, *(b + 1));
}
