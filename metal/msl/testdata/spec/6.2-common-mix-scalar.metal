// mix of vectors with a vector of one number.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[0 8] 1=float*2 -> 1=float[2 6]
kernel void k(device const float2 *x, device float2 *o) { *o = mix(*x, x->yx, float2(0.25f)); }
