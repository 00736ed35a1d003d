// A vector is cut by a swizzle.
#include <metal_stdlib>
using namespace metal;

// run k 0=half[1 2 3 4] 1=float*4 -> 1=float[1 2 2 1]
kernel void k(device const half4 *x, device float4 *o) {
    half2 v = x->xy;
    half3 w = x->xyz;
    *o = float4(v.x, w.y, float(v.y), float(w.x));
}
