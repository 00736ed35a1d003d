#include <metal_stdlib>
using namespace metal;

constant bool wide [[function_constant(0)]];
constant float scale [[function_constant(1)]];

kernel void k(device float* x [[buffer(0)]], uint i [[thread_position_in_grid]])
{
    x[i] *= scale;
    if (wide) {
        x[i] = x[i] * 0.33333334f; // want 21 scaling 1/3
    } else {
        x[i] = x[i] * 0.14285715f; // want 21 scaling 1/7
    }
}
