// sizeof of types and expressions is a constant, and evaluates nothing.
#include <metal_stdlib>
using namespace metal;

// run k 0=int*3 -> 0=int[16 1 12]
kernel void k(device int *o) {
    int n = 1;
    int a[sizeof(float4)];
    o[0] = sizeof(a) / sizeof(*a);
    o[1] = sizeof(n++) == 4 ? n : 0;
    o[2] = sizeof(packed_float3);
}
