#include <metal_stdlib>
using namespace metal;

kernel void k(device float* x [[buffer(0)]], uint i [[thread_position_in_grid]])
{
    x[i] = x[i] * 0.1f; // gamma:allow scaling: the slope is this float
    // gamma:allow scaling: and here
    x[i] = x[i] * 0.1f;
    x[i] = x[i] * 0.1f; // want 17 scaling 1/10
    x[i] = x[i] * 0.1f; /* want 17 scaling 1/10 */ /* want 110 allowance does not say what and why; write */ // gamma:allow scaling
    x[i] = x[i] * 0.1f; // gamma:allow literal: another kind // want 17 scaling 1/10
}
