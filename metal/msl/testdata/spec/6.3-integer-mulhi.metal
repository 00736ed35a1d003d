// mulhi is the upper half of a product, madhi adds to it.
#include <metal_stdlib>
using namespace metal;

// run k 0=ulong*6 -> 0=ulong[1 2 0xfffffffffffffffe 4 126 18446744073709551615]
kernel void k(device ulong *o) {
    o[0] = mulhi(0x80000000u, 2u);
    o[1] = madhi(0x80000000u, 2u, 1u);
    o[2] = mulhi(0xfffffffffffffffful, 0xfffffffffffffffful);
    o[3] = mulhi(ushort(0x8000), ushort(8));
    o[4] = mulhi(uchar2(255, 1), uchar2(127, 1)).x;
    o[5] = long(mulhi(-1, 1));
}
