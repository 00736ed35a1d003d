// clz, ctz, popcount, reverse_bits; of 0 the width.
#include <metal_stdlib>
using namespace metal;

// run k 0=uint[0x00f0] 1=uint*9 -> 1=uint[24 4 4 0x0f000000 32 8 15 63 1]
kernel void k(device const uint *x, device uint *o) {
    o[0] = clz(x[0]);
    o[1] = ctz(x[0]);
    o[2] = popcount(x[0]);
    o[3] = reverse_bits(x[0]);
    o[4] = clz(0u);
    o[5] = ctz(uchar(0));
    o[6] = reverse_bits(uchar(0xf0));
    o[7] = clz(1ul);
    o[8] = popcount(ushort4(1, 2, 3, 4)).x;
}
