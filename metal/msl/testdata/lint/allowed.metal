#include <metal_stdlib>
using namespace metal;

kernel void k(device float* x [[buffer(0)]], uint i [[thread_position_in_grid]])
{
    x[i] = x[i] * 0.33333334f; // gamma:allow scaling: the slope is this float
    // gamma:allow scaling: and here
    x[i] = x[i] * 0.33333334f;
    x[i] = x[i] * 0.33333334f; // want 17 scaling 1/3
    x[i] = x[i] * 0.33333334f; /* want 17 scaling 1/3 */ /* want 116 allowance does not say what and why; write */ // gamma:allow scaling
    x[i] = x[i] * 0.33333334f; // gamma:allow literal: another kind // want 17 scaling 1/3
}
