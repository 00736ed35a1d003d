// M_PI_F and its like are the nearest numbers of their type; INFINITY, NAN, HUGE_VALF, MAXFLOAT.
#pragma METAL fp math_mode(safe)
#include <metal_stdlib>
using namespace metal;
// run k 0=uint*7 -> 0=uint[0x40490fdb 0x402df854 0x4248 0x7f800000 1 0x7f7fffff 0x7bff]
kernel void k(device uint *o) {
    o[0] = as_type<uint>(M_PI_F);
    o[1] = as_type<uint>(M_E_F);
    o[2] = as_type<ushort>(M_PI_H);
    o[3] = as_type<uint>(INFINITY);
    o[4] = HUGE_VALF == INFINITY && isnan(NAN);
    o[5] = as_type<uint>(MAXFLOAT);
    o[6] = as_type<ushort>(HALF_MAX);
}
