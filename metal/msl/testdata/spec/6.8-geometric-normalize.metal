// normalize gives the direction: of a vector along an axis, up to rounding, the axis.
#include <metal_stdlib>
using namespace metal;

bool near(float a, float b) { return fabs(a - b) < 0x1p-10f; }
// run k 0=float[0 8 0] 1=int*3 -> 1=int[1 1 1]
kernel void k(device const packed_float3 *x, device int *o) {
    float3 v = normalize(float3(*x));
    o[0] = near(v.x, 0);
    o[1] = near(v.y, 1);
    o[2] = near(v.z, 0);
}
