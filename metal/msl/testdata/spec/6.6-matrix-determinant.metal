// determinant of 2, 3 and 4 columns.
#include <metal_stdlib>
using namespace metal;

// run k 0=float*3 -> 0=float[-2 24 -1]
kernel void k(device float *o) {
    o[0] = determinant(float2x2(1, 2, 3, 4));
    o[1] = determinant(float3x3(2, 0, 0, 0, 3, 0, 5, 6, 4));
    o[2] = determinant(float4x4(0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1));
}
