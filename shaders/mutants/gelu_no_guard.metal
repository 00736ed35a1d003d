// Threads past the end read and write.

#include <metal_stdlib>
using namespace metal;

kernel void gelu(device float* dst [[buffer(0)]],
                 device const float* x [[buffer(1)]],
                 constant uint& n [[buffer(2)]],
                 uint i [[thread_position_in_grid]])
{
    {
        float v = x[i];
        dst[i] = 0.5f * v * (1.0f + precise::tanh(0.7978845608f * (v + 0.044715f * (v * v * v))));
    }
}
