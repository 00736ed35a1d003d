// short and ushort are 16 bits, with the names of C.
#include <metal_stdlib>
using namespace metal;

// run k 0=short[-32768 32767] 1=ushort[65535] 2=int*5 -> 2=int[32767 -32768 65535 0 2]
kernel void k(device const short *s, device const unsigned short *u, device int *o) {
    int16_t a = s[0];
    uint16_t b = u[0];
    o[0] = short(a - 1);
    o[1] = short(s[1] + 1);
    o[2] = b;
    o[3] = ushort(b + 1);
    o[4] = sizeof(signed short int);
}
