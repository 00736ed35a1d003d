// clamp, min, max, min3, max3, median3 of integers.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[7 -2 3] 1=int*8 -> 1=int[5 -2 7 -2 7 3 4 9]
kernel void k(device const int *x, device int *o) {
    o[0] = clamp(x[0], 1, 5);
    o[1] = min(x[0], x[1]);
    o[2] = max(x[0], x[2]);
    o[3] = min3(x[0], x[1], x[2]);
    o[4] = max3(x[0], x[1], x[2]);
    o[5] = median3(x[0], x[1], x[2]);
    o[6] = max(ushort2(4, 1), ushort2(2, 3)).x;
    o[7] = median3(9ul, 8ul, 10ul);
}
