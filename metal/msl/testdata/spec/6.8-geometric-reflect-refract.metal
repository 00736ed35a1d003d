// faceforward, reflect, and refract without a change of medium.
#include <metal_stdlib>
using namespace metal;

// run k 0=float*6 -> 0=float[1 1 -1 0 0 -1]
kernel void k(device float *o) {
    float2 down = float2(1, -1), up = float2(0, 1);
    float2 r = reflect(down, up);
    o[0] = r.x;
    o[1] = r.y;
    o[2] = faceforward(up, -down, up).y;
    o[3] = faceforward(up, down, up).x;
    float2 t = refract(float2(0, -1), up, 1.0f);
    o[4] = t.x;
    o[5] = t.y;
}
