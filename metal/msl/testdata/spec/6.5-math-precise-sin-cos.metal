// precise::sin and cos err by 4 units in the last place at most, tan by 6; the floats nearest to sin 1, cos 1 and tan 1.
#include <metal_stdlib>
using namespace metal;

int apart(float a, uint b, int n) { return abs(as_type<int>(a) - int(b)) <= n; }
// run k 0=float[1] 1=int*5 -> 1=int[1 1 1 1 1]
kernel void k(device const float *x, device int *o) {
    o[0] = apart(precise::sin(x[0]), 0x3f576aa4, 4);
    o[1] = apart(precise::cos(x[0]), 0x3f0a5140, 4);
    o[2] = apart(precise::tan(x[0]), 0x3fc75923, 6);
    float c;
    float s = precise::sincos(x[0], c);
    o[3] = apart(s, 0x3f576aa4, 4);
    o[4] = apart(c, 0x3f0a5140, 4);
}
