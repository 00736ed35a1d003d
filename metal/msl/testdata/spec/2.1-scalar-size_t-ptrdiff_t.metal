// size_t is an unsigned and ptrdiff_t a signed integer of 64 bits; the difference of pointers is one.
#include <metal_stdlib>
using namespace metal;

// run k 0=int*10 1=long*3 -> 1=long[8 8 -3]
kernel void k(device const int *x, device long *o) {
    size_t n = sizeof(size_t);
    ptrdiff_t m = sizeof(ptrdiff_t);
    device const int *a = x + 7, *b = x + 4;
    ptrdiff_t d = b - a;
    o[0] = n;
    o[1] = m;
    o[2] = d;
}
