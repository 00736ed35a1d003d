// 10, 10, 10 and 2 bits; 5, 6 and 5 bits.
#include <metal_stdlib>
using namespace metal;

// run k 0=uint[0xc00003ff] 1=float*7 -> 1=float[1 0 0 1 0 1 0]
kernel void k(device const uint *x, device float *o) {
    float4 a = unpack_unorm10a2_to_float(x[0]);
    for (int i = 0; i < 4; i++) o[i] = a[i];
    float3 b = unpack_unorm565_to_float(ushort(0x07e0));
    for (int i = 0; i < 3; i++) o[4 + i] = b[i];
}
