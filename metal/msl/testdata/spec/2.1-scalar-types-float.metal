// float is binary32.
#include <metal_stdlib>
using namespace metal;

// run k 0=uint[0 0x4b800000] 1=uint*3 -> 1=uint[0x3dcccccd 0x4b800001 4]
kernel void k(device const uint *x, device uint *o) {
    o[0] = as_type<uint>(0.1f);
    o[1] = as_type<uint>(as_type<float>(x[1]) + 2.0f);
    o[2] = sizeof(float);
}
