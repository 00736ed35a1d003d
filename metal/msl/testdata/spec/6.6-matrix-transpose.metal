// transpose makes rows of columns.
#include <metal_stdlib>
using namespace metal;

// run k 0=float*6 1=half*4 -> 0=float[1 4 2 5 3 6] 1=half[1 3 2 4]
kernel void k(device float3x2 *o, device half2x2 *h) {
    *o = transpose(float2x3(1, 2, 3, 4, 5, 6));
    *h = transpose(half2x2(1, 2, 3, 4));
}
