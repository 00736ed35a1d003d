// sin² + cos² is 1 up to the errors of both, and sincos gives what sin and cos give within theirs.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 0=float[0 0.5 1 3] 1=int*4 -> 1=int[1 1 1 1]
kernel void k(device const float *x, device int *o, uint i [[thread_position_in_grid]]) {
    float c, s = precise::sincos(x[i], c);
    float one = s * s + c * c;
    o[i] = fabs(one - 1) <= 0x1p-20f && fabs(s - precise::sin(x[i])) <= 0x1p-20f;
}
