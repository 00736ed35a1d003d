// precise::exp, exp2 and exp10 err by 4 units in the last place at most; these are the nearest floats of e, 2^0.5 and 10^0.5.
#include <metal_stdlib>
using namespace metal;

int apart(float a, uint b) { return abs(as_type<int>(a) - int(b)) <= 4; }
// run k 0=float[1 0.5] 1=int*3 -> 1=int[1 1 1]
kernel void k(device const float *x, device int *o) {
    o[0] = apart(precise::exp(x[0]), 0x402df854);
    o[1] = apart(precise::exp2(x[1]), 0x3fb504f3);
    o[2] = apart(precise::exp10(x[1]), 0x404a62c2);
}
