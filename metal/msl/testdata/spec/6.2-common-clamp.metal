// clamp of scalars and vectors of floats.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[-1 0.25 5] 1=float*3 2=half*2 -> 1=float[0 0.25 1] 2=half[2 1]
kernel void k(device const float *x, device float *o, device half *h) {
    for (int i = 0; i < 3; i++) o[i] = clamp(x[i], 0.0f, 1.0f);
    half2 v = clamp(half2(3, -3), half2(1), half2(2));
    h[0] = v.x;
    h[1] = v.y;
}
