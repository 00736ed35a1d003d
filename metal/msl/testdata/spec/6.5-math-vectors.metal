// Functions of vectors work on each component.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[1.5 -2.5 4 -0.25] 1=float*12 -> 1=float[1 -3 4 -1 1.5 2.5 4 0.25 1.5 0 4 0]
kernel void k(device const float4 *x, device float4 *o) {
    o[0] = floor(*x);
    o[1] = fabs(*x);
    o[2] = max(*x, float4(0));
}
