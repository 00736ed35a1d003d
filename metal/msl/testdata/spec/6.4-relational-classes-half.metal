// The same of half and of vectors.
#pragma METAL fp math_mode(safe)
#include <metal_stdlib>
using namespace metal;
// run k 0=half[1 0x7c00 0x7e00 0x8000] 1=int*16 -> 1=int[1 0 0 1 0 1 0 0 0 0 1 0 0 0 0 1]
kernel void k(device const half4 *x, device int4 *o) {
    o[0] = int4(isfinite(*x));
    o[1] = int4(isinf(*x));
    o[2] = int4(isnan(*x));
    o[3] = int4(signbit(*x));
}
