// as_type keeps the bits, of any types of one size.
#include <metal_stdlib>
using namespace metal;

// run k 0=uint*6 -> 0=uint[0x3f800000 0x03020100 0x40003c00 0x40400000 2 1]
kernel void k(device uint *o) {
    o[0] = as_type<uint>(1.0f);
    o[1] = as_type<uint>(uchar4(0, 1, 2, 3));
    o[2] = as_type<uint>(half2(1, 2));
    float2 f = as_type<float2>(0x4040000000000000ul);
    o[3] = as_type<uint>(f.y);
    o[4] = as_type<ushort2>(0x00010002u).x;
    o[5] = as_type<ushort2>(0x00010002u)[1];
}
