// Numbers from -1 to 1.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[0 1 -1 -9] 1=uint*4 -> 1=uint[0x81817f00 0x7fff0000 0x80018001 0x7f]
kernel void k(device const float4 *x, device uint *o) {
    o[0] = pack_float_to_snorm4x8(*x);
    o[1] = pack_float_to_snorm2x16(x->xy);
    o[2] = pack_float_to_snorm2x16(x->zw);
    o[3] = pack_half_to_snorm4x8(half4(1, 0, 0, 0));
}
