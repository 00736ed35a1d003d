// A matrix times a scalar, on either side.
#include <metal_stdlib>
using namespace metal;

// run k 0=half[1 2 3 4] 1=half*8 -> 1=half[2 4 6 8 3 6 9 12]
kernel void k(device const half2x2 &a, device half4 *o) {
    half2x2 m = a * 2.0h, n = 3.0h * a;
    o[0] = half4(m[0], m[1]);
    n *= 1.0h;
    o[1] = half4(n[0], n[1]);
}
