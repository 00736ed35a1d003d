// char and uchar are 8 bits, signed and unsigned, under three names each; what does not fit wraps.
#include <metal_stdlib>
using namespace metal;

// run k 0=char[127 -128] 1=uchar[255 128] 2=int*6 -> 2=int[-128 127 0 127 1 1]
kernel void k(device const char *c, device const uchar *u, device int *o) {
    int8_t a = c[0];
    a++;
    o[0] = a;
    a = c[1];
    a--;
    o[1] = a;
    unsigned char b = u[0];
    b++;
    o[2] = b;
    uint8_t d = u[1];
    o[3] = --d;
    o[4] = sizeof(int8_t);
    o[5] = sizeof(unsigned char);
}
