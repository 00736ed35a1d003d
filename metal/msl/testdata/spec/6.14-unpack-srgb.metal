// Colours in sRGB: the ends of the scale are exact, and the fourth component is linear.
#include <metal_stdlib>
using namespace metal;

// run k 0=uint[0xff00ff00] 1=float*4 -> 1=float[0 1 0 1]
kernel void k(device const uint *x, device float4 *o) { *o = unpack_unorm4x8_srgb_to_float(x[0]); }
