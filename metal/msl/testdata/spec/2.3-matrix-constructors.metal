// A matrix of one scalar has it on the diagonal; else it is made of columns, or of all elements.
#include <metal_stdlib>
using namespace metal;

// run k 0=float*12 -> 0=float[3 0 0 3 1 2 3 4 5 6 7 8]
kernel void k(device float4 *o) {
    float2x2 d = float2x2(3.0f);
    o[0] = float4(d[0], d[1]);
    float2x2 c = float2x2(float2(1, 2), float2(3, 4));
    o[1] = float4(c[0], c[1]);
    float2x2 e = {float2(5, 6), float2(7, 8)};
    o[2] = float4(e[0], e[1]);
}
