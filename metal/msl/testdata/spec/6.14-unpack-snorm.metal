// Signed ones as numbers from -1 to 1: both the two least ones are -1.
#include <metal_stdlib>
using namespace metal;

// run k 0=uint[0x81807f00 0x80017fff] 1=float*6 -> 1=float[0 1 -1 -1 1 -1]
kernel void k(device const uint *x, device float *o) {
    float4 a = unpack_snorm4x8_to_float(x[0]);
    float2 b = unpack_snorm2x16_to_float(x[1]);
    for (int i = 0; i < 4; i++) o[i] = a[i];
    o[4] = b.x;
    o[5] = b.y;
}
