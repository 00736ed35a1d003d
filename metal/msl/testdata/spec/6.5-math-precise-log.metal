// precise::log, log2 and log10 err by 4 units in the last place at most; the floats nearest to ln 2, log2 3 and log10 2.
#include <metal_stdlib>
using namespace metal;

int apart(float a, uint b) { return abs(as_type<int>(a) - int(b)) <= 4; }
// run k 0=float[2 3] 1=int*3 -> 1=int[1 1 1]
kernel void k(device const float *x, device int *o) {
    o[0] = apart(precise::log(x[0]), 0x3f317218);
    o[1] = apart(precise::log2(x[1]), 0x3fcae00d);
    o[2] = apart(precise::log10(x[0]), 0x3e9a209b);
}
