// sRGB: 1.055·0.2^(1/2.4) - 0.055 is 123.55 of 255, 12.92·0.002 is 6.59 of 255; back, 124 is 0.2016 and 10 is 0.003035.
#include <metal_stdlib>
using namespace metal;

bool near(float a, float b) { return fabs(a - b) <= b * 0x1p-10f; }
// run k 0=uint*3 -> 0=uint[0x80e7077c 1 1]
kernel void k(device uint *o) {
    o[0] = pack_float_to_srgb_unorm4x8(float4(0.2f, 0.002f, 0.8f, 0.502f));
    float4 v = unpack_unorm4x8_srgb_to_float(0x00000a7cu);
    o[1] = near(v.x, 0.20155625f);
    o[2] = near(v.y, 0.0030352699f);
}
