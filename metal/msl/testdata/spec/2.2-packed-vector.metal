// Packed vectors have no gaps: packed_float3 is 12 bytes at any multiple of 4.
#include <metal_stdlib>
using namespace metal;

// run k threads=2 0=float[1 2 3 4 5 6] 1=float*6 -> 1=float[6 4 2 12 10 8]
kernel void k(device const packed_float3 *x, device packed_float3 *o, uint i [[thread_position_in_grid]]) {
    float3 v = x[i];
    o[i] = packed_float3(v.zyx * 2);
}
