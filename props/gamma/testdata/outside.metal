#include <metal_stdlib>
using namespace metal;

// Four results for each input: nobody has to say so.
kernel void four(device const float* x, device float* out, constant uint& n, uint i [[thread_position_in_grid]])
{
    if (i < n) {
        for (uint k = 0; k < 4; k++) { out[4 * i + k] = x[i]; }
    }
}

// The element before the first one: no size makes that right.
kernel void before(device const float* x, device float* out, constant int& n, uint i [[thread_position_in_grid]])
{
    if (int(i) < n) { out[i] = x[int(i) - 1]; }
}
