// min and max with a literal choose the function by the arguments.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[3.5] 1=float*2 2=int*1 -> 1=float[2 3.5] 2=int[4]
kernel void k(device const float *x, device float *o, device int *i) {
    o[0] = min(x[0], 2.0f);
    o[1] = metal::max(x[0], -1.0f);
    *i = max(4, 3);
}
