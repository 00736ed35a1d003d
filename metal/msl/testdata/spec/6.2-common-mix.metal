// mix(x, y, a) is x + (y - x)·a.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[2 4] 1=float*4 -> 1=float[2 4 2.5 -2]
kernel void k(device const float *x, device float *o) {
    o[0] = mix(x[0], x[1], 0.0f);
    o[1] = mix(x[0], x[1], 1.0f);
    float2 v = mix(float2(x[0], 0), float2(x[1], 4), float2(0.25, -0.5));
    o[2] = v.x;
    o[3] = v.y;
}
