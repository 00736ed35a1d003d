#include <metal_stdlib>
using namespace metal;

kernel void precise_quotient(device float* x [[buffer(0)]], uint i [[thread_position_in_grid]])
{
    x[i] = x[i] / 1024.0f;
    x[i] = fast::divide(x[i], 1024.0f); // want 12 scaling a scaling by
}
