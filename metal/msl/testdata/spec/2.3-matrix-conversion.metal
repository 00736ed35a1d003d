// A matrix is made of one of the other type of elements.
#include <metal_stdlib>
using namespace metal;

// run k 0=half[1 2 3 4 5 6] 1=float*6 2=half*4 -> 1=float[1 2 3 4 5 6] 2=half[0.5 1.5 2.5 3.5]
kernel void k(device const half3x2 *x, device float3x2 *o, device half2x2 *h) {
    *o = float3x2(*x);
    *h = half2x2(float2x2(0.5, 1.5, 2.5, 3.5));
}
