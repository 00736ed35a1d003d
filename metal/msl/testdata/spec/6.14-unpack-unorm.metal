// Bytes and 16 bits as numbers from 0 to 1: 255 is 1, and 0 is 0.
#include <metal_stdlib>
using namespace metal;

// run k 0=uint[0x00ff00ff 0xffff0000] 1=float*6 -> 1=float[1 0 1 0 0 1]
kernel void k(device const uint *x, device float *o) {
    float4 a = unpack_unorm4x8_to_float(x[0]);
    float2 b = unpack_unorm2x16_to_float(x[1]);
    for (int i = 0; i < 4; i++) o[i] = a[i];
    o[4] = b.x;
    o[5] = b.y;
}
