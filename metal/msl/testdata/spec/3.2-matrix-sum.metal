// Matrices add and subtract element by element; unary - is there, too.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[1 2 3 4] 1=float[10 20 30 40] 2=float*8 -> 2=float[11 22 33 44 9 18 27 36]
kernel void k(device const float2x2 &a, device const float2x2 &b, device float4 *o) {
    float2x2 s = a + b, d = b - a;
    o[0] = float4(s[0], s[1]);
    d = -(-d);
    o[1] = float4(d[0], d[1]);
}
