// precise::sinpi, cospi and tanpi err by 4, 4 and 6 units in the last place: of 1/4 they are near √½, √½ and 1.
#include <metal_stdlib>
using namespace metal;

int apart(float a, uint b, int n) { return abs(as_type<int>(a) - int(b)) <= n; }
// run k 0=float[0.25] 1=int*3 -> 1=int[1 1 1]
kernel void k(device const float *x, device int *o) {
    o[0] = apart(precise::sinpi(x[0]), 0x3f3504f3, 4);
    o[1] = apart(precise::cospi(x[0]), 0x3f3504f3, 4);
    o[2] = apart(precise::tanpi(x[0]), 0x3f800000, 6);
}
