// long and ulong are 64 bits.
#include <metal_stdlib>
using namespace metal;

// run k 0=long[-4294967296] 1=ulong[0x8000000000000000] 2=long*3 -> 2=long[-8589934592 1 8]
kernel void k(device const long *i, device const unsigned long *u, device long *o) {
    int64_t a = i[0];
    uint64_t b = u[0];
    o[0] = a * 2;
    o[1] = b >> 63;
    o[2] = sizeof(ulong);
}
