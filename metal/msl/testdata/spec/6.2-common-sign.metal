// sign is -1, 0 or 1.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[-2.5 0 1e10] 1=float*3 2=half*2 -> 1=float[-1 0 1] 2=half[1 -1]
kernel void k(device const float *x, device float *o, device half2 *h) {
    for (int i = 0; i < 3; i++) o[i] = sign(x[i]);
    *h = sign(half2(0.5, -7));
}
