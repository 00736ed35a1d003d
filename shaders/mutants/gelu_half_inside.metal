// The cubic is computed in half.

#include <metal_stdlib>
using namespace metal;

kernel void gelu_half(device half* dst [[buffer(0)]],
                      device const half* x [[buffer(1)]],
                      constant uint& n [[buffer(2)]],
                      uint i [[thread_position_in_grid]])
{
    if (i < n) {
        half h = x[i];
        float v = float(h);
        dst[i] = half(0.5f * v * (1.0f + precise::tanh(0.7978845608f * float(h + 0.044715h * (h * h * h)))));
    }
}
