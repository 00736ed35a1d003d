// The sigmoid is that of 2x, as where a line of GELU by tanh is copied.

#include <metal_stdlib>
using namespace metal;

kernel void silu(device float* dst [[buffer(0)]],
                 device const float* x [[buffer(1)]],
                 constant uint& n [[buffer(2)]],
                 uint i [[thread_position_in_grid]])
{
    if (i < n) {
        float v = x[i];
        dst[i] = v * (1.0f / (1.0f + precise::exp(-2.0f * v)));
    }
}
