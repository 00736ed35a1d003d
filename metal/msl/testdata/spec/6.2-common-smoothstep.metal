// smoothstep is t·t·(3 - 2t).
#include <metal_stdlib>
using namespace metal;

// run k 0=float[0 1 2 3 5] 1=float*5 -> 1=float[0 0 0.5 1 1]
kernel void k(device const float *x, device float *o) {
    for (int i = 0; i < 5; i++) o[i] = smoothstep(1.0f, 3.0f, x[i]);
}
