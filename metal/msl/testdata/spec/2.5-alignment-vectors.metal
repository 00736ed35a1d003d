// A vector is aligned to its size; one of three components has the size and alignment of one of four.
#include <metal_stdlib>
using namespace metal;

// run k 0=int*7 -> 0=int[2 4 8 8 16 16 32]
kernel void k(device int *o) {
    o[0] = alignof(uchar2);
    o[1] = alignof(char3);
    o[2] = alignof(half4);
    o[3] = alignof(float2);
    o[4] = alignof(float3);
    o[5] = alignof(long2);
    o[6] = alignof(ulong3);
}
