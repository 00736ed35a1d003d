// A product's column is the left matrix times the right one's column.
#include <metal_stdlib>
using namespace metal;

// run k 0=float*4 1=float*6 -> 0=float[7 10 15 22] 1=float[2 3 1 4 6 2]
kernel void k(device float2x2 *o, device float2x3 *p) {
    float2x2 a = float2x2(1, 2, 3, 4);
    o[0] = a * a;
    float2x3 b = float2x3(1, 0, 0, 0, 1, 0);
    b = float3x3(2, 3, 1, 4, 6, 2, 0, 0, 0) * b;
    device float *at = (device float *)p;
    for (int i = 0; i < 6; i++) at[i] = b[i / 3][i % 3];
}
