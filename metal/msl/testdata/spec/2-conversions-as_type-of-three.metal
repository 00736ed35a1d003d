// as_type also takes vectors of three components to others of three, and of four.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[1 2 3 0] 1=int*3 -> 1=int[0x3f800000 0x40000000 0x40400000]
kernel void k(device const float3 *x, device int *o) {
    int3 v = as_type<int3>(*x);
    o[0] = v.x;
    o[1] = v.y;
    o[2] = v.z;
}
