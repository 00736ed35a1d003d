// The same as half.
#include <metal_stdlib>
using namespace metal;

// run k 0=uint[0xff0000ff] 1=half*10 -> 1=half[1 0 0 1 1 0 1 -1 1 0]
kernel void k(device const uint *x, device half *o) {
    half4 a = unpack_unorm4x8_to_half(x[0]);
    for (int i = 0; i < 4; i++) o[i] = a[i];
    half4 b = unpack_snorm4x8_to_half(0x0081007fu);
    o[4] = b.x;
    o[5] = b.y;
    o[6] = -b.z;
    half2 c = unpack_snorm2x16_to_half(0x7fff8001u);
    o[7] = c.x;
    o[8] = c.y;
    o[9] = unpack_unorm2x16_to_half(0u).y;
}
