// Numbers from 0 to 1 as bytes and 16 bits; what is outside is clamped.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[0 1 -3 7] 1=uint*3 -> 1=uint[0xff00ff00 0xffff0000 0x0000ffff]
kernel void k(device const float4 *x, device uint *o) {
    o[0] = pack_float_to_unorm4x8(*x);
    o[1] = pack_float_to_unorm2x16(x->xy);
    o[2] = pack_half_to_unorm2x16(half2(1, 0));
}
