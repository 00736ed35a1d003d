// precise::asin, acos, atan and atan2 err by 4, 4, 5 and 6 units in the last place: π/2 and π/4.
#include <metal_stdlib>
using namespace metal;

int apart(float a, uint b, int n) { return abs(as_type<int>(a) - int(b)) <= n; }
// run k 0=float[1 0] 1=int*4 -> 1=int[1 1 1 1]
kernel void k(device const float *x, device int *o) {
    o[0] = apart(precise::asin(x[0]), 0x3fc90fdb, 4);
    o[1] = apart(precise::acos(x[1]), 0x3fc90fdb, 4);
    o[2] = apart(precise::atan(x[0]), 0x3f490fdb, 5);
    o[3] = apart(precise::atan2(x[0], x[0]), 0x3f490fdb, 6);
}
