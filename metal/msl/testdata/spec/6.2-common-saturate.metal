// saturate is clamp to 0 and 1.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[-2 0.5 3] 1=float*3 2=half*2 -> 1=float[0 0.5 1] 2=half[1 0.25]
kernel void k(device const float *x, device float *o, device half2 *h) {
    o[0] = saturate(x[0]);
    o[1] = saturate(x[1]);
    o[2] = precise::saturate(x[2]);
    *h = saturate(half2(2, 0.25));
}
