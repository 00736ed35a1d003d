// nextafter is the next number toward the other.
#include <metal_stdlib>
using namespace metal;

// run k 0=uint*4 -> 0=uint[0x3f800001 0x3f7fffff 0x3f800000 0x3c01]
kernel void k(device uint *o) {
    o[0] = as_type<uint>(nextafter(1.0f, 2.0f));
    o[1] = as_type<uint>(nextafter(1.0f, 0.0f));
    o[2] = as_type<uint>(nextafter(1.0f, 1.0f));
    o[3] = as_type<ushort>(nextafter(1.0h, 2.0h));
}
