// precise::pow and powr err by 16 units in the last place at most.
#include <metal_stdlib>
using namespace metal;

int apart(float a, uint b) { return abs(as_type<int>(a) - int(b)) <= 16; }
// run k 0=float[2 3 -2] 1=int*3 -> 1=int[1 1 1]
kernel void k(device const float *x, device int *o) {
    o[0] = apart(precise::pow(x[0], x[1]), 0x41000000);
    o[1] = apart(precise::powr(x[1], x[0]), 0x41100000);
    o[2] = apart(precise::pow(x[2], x[1]), 0xc1000000);
}
