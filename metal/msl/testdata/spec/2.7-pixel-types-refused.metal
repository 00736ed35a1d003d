// Pixel types say how a colour lies in memory.
// refused: pixel
#include <metal_stdlib>
using namespace metal;

kernel void k(device rgba8unorm<half4> *p, device float *o) {
    half4 c = p[0];
    o[0] = float(c.x);
}
