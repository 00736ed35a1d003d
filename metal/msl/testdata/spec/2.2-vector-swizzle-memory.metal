// Components of vectors in memory are assigned to in place.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[1 2 3 4] 1=float[5 6 7 0] -> 0=float[4 2 3 1] 1=float[5 6 9.5 0]
kernel void k(device float4 &v, device float3 *p) {
    v.wx = v.xw;
    p->z = 9.5f;
}
