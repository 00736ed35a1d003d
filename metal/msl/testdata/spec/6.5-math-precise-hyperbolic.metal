// precise::sinh, cosh and tanh err by 4, 4 and 5 units in the last place, and their inverses by 4, 4 and 5.
#include <metal_stdlib>
using namespace metal;

int apart(float a, uint b, int n) { return abs(as_type<int>(a) - int(b)) <= n; }
// run k 0=float[1 2 0.5] 1=int*6 -> 1=int[1 1 1 1 1 1]
kernel void k(device const float *x, device int *o) {
    o[0] = apart(precise::sinh(x[0]), 0x3f966cfe, 4);
    o[1] = apart(precise::cosh(x[0]), 0x3fc583ab, 4);
    o[2] = apart(precise::tanh(x[0]), 0x3f42f7d6, 5);
    o[3] = apart(precise::asinh(x[0]), 0x3f61a1b3, 4);
    o[4] = apart(precise::acosh(x[1]), 0x3fa89214, 4);
    o[5] = apart(precise::atanh(x[2]), 0x3f0c9f54, 5);
}
