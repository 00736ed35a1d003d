// Matrix times vector is the sum of the columns times the components; vector times matrix has a component for each column.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[1 2 3 4 5 6] 1=float*5 -> 1=float[31 40 8 26 44]
kernel void k(device const float3x2 &m, device float *o) {
    float2 a = m * float3(1, 0, 6);
    float3 b = float2(2, 3) * m;
    o[0] = a.x;
    o[1] = a.y - 18 + 20;
    o[2] = b.x;
    o[3] = b.y + 8;
    o[4] = b.z + 16;
}
