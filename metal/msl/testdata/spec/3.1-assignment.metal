// An assignment is a value and a place; compound ones of each operator.
#include <metal_stdlib>
using namespace metal;

// run k 0=int*10 -> 0=int[7 7 10 6 18 4 1 64 65 1]
kernel void k(device int *o) {
    int a, b;
    a = b = 7;
    o[0] = a;
    o[1] = b;
    a += 3;
    o[2] = a;
    a -= 4;
    o[3] = a;
    a *= 3;
    o[4] = a;
    a /= 4;
    o[5] = a;
    a %= 3;
    o[6] = a;
    a <<= 6;
    o[7] = a;
    a |= 1;
    o[8] = a;
    a ^= 64;
    a &= 3;
    o[9] = (a >>= 1) + 1;
}
