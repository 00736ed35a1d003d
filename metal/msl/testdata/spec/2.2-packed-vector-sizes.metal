// Sizes and alignments of packed vectors.
#include <metal_stdlib>
using namespace metal;

// run k 0=int*8 -> 0=int[3 1 6 2 12 4 24 8]
kernel void k(device int *o) {
    o[0] = sizeof(packed_char3);
    o[1] = alignof(packed_uchar4);
    o[2] = sizeof(packed_half3);
    o[3] = alignof(packed_ushort2);
    o[4] = sizeof(packed_uint3);
    o[5] = alignof(packed_float4);
    o[6] = sizeof(packed_long3);
    o[7] = alignof(packed_ulong2);
}
