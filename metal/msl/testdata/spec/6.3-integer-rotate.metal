// rotate moves bits to the left, and those that fall out to the right end.
#include <metal_stdlib>
using namespace metal;

// run k 0=uint*4 -> 0=uint[0x23456781 0x81234567 0x81 0x1]
kernel void k(device uint *o) {
    o[0] = rotate(0x12345678u, 4u);
    o[1] = rotate(0x12345678u, 28u);
    o[2] = rotate(uchar(0x18), uchar(4));
    o[3] = uint(rotate(0x8000000000000000ul, 1ul));
}
