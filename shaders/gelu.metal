// The activation GELU. Host code and claim: gelu.go.

#include <metal_stdlib>
using namespace metal;

// gelu writes x/2·(1 + tanh(√(2/π)·(x + 0.044715·x³))). Metal has no erf.
//
// Special:  -Inf·0 is NaN; NaN gives NaN.
// Launch:   a thread a number, and more. Barriers: none.
kernel void gelu(device float* dst [[buffer(0)]],
                 device const float* x [[buffer(1)]],
                 constant uint& n [[buffer(2)]],
                 uint i [[thread_position_in_grid]])
{
    if (i < n) {
        float v = x[i];
        dst[i] = 0.5f * v * (1.0f + precise::tanh(0.7978845608f * (v + 0.044715f * (v * v * v))));
    }
}
