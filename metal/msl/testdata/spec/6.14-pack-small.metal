// 10, 10, 10 and 2 bits; 5, 6 and 5 bits; sRGB.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[1 0 0 1] 1=uint*4 -> 1=uint[0xc00003ff 0x1f 0xff0000ff 0xf800]
kernel void k(device const float4 *x, device uint *o) {
    o[0] = pack_float_to_unorm10a2(*x);
    o[1] = pack_float_to_unorm565(x->xyz);
    o[2] = pack_float_to_srgb_unorm4x8(*x);
    o[3] = pack_half_to_unorm565(half3(0, 0, 1));
}
