// Values between the ends, far from halfway: 0.2·255 is 51, 0.7·127 is 88.9, 0.25·65535 is 16383.75, 0.25·32767 is 8191.75, 0.7·1023 is 716.1.
#include <metal_stdlib>
using namespace metal;

// run k 0=float*1 1=uint*6 -> 1=uint[0x33b30000 0xa7590000 0x40004000 0xe0002000 0x000002cc 0x9a69]
kernel void k(device const float *x, device uint *o) {
    o[0] = pack_float_to_unorm4x8(float4(0, 0, 0.702f, 0.2f));
    o[1] = pack_float_to_snorm4x8(float4(0, 0, 0.7f, -0.7f));
    o[2] = pack_float_to_unorm2x16(float2(0.25f, 0.25f));
    o[3] = pack_float_to_snorm2x16(float2(0.25f, -0.25f));
    o[4] = pack_float_to_unorm10a2(float4(0.7f, 0, 0, 0.1f));
    o[5] = pack_float_to_unorm565(float3(0.3f, 0.3f, 0.6f));
}
