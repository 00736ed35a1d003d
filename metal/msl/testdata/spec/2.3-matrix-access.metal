// A column by one number, an element by two, columns first; columns take swizzles.
#include <metal_stdlib>
using namespace metal;

// run k 0=float*6 -> 0=float[3 4 4 6 10 5]
kernel void k(device float *o) {
    float2x2 m = float2x2(1, 2, 3, 4);
    o[0] = m[1][0];
    o[1] = m[1].y;
    m[0][1] = 4;
    o[2] = m[0][1];
    m[1] = float2(6, 7);
    o[3] = m[1].x;
    m[0].xy += m[1].xy - float2(3, 1);
    o[4] = m[0].y;
    o[5] = m[0].yx.y + 1;
}
