// Operators bind as in C++.
#include <metal_stdlib>
using namespace metal;

// run k 0=int*8 -> 0=int[7 1 4 1 6 1 11 2]
kernel void k(device int *o) {
    o[0] = 1 + 2 * 3;
    o[1] = 7 - 4 - 2;
    o[2] = 1 << 1 + 1;
    o[3] = 1 | 2 & 4;
    o[4] = 2 + 3 ^ 3;
    o[5] = 1 < 2 == 1;
    o[6] = -1 + 3 * 4;
    o[7] = 0 ? 1 : 0 ? 3 : 2;
}
