// int and uint are 32 bits; unsigned sums wrap.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[-5] 1=uint[4294967295] 2=int*4 -> 2=int[-5 1 4 4]
kernel void k(device const int *i, device const unsigned int *u, device int *o) {
    int32_t a = i[0];
    uint32_t b = u[0];
    o[0] = a;
    o[1] = int(b + 2u);
    o[2] = sizeof(a);
    o[3] = sizeof(unsigned);
}
