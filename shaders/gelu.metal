// The activations GELU and SiLU. Host code and claims: gelu.go.

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

// silu writes x/(1 + exp(-x)), as a product with the sigmoid.
//
// Special:  below about -88.7 the exponential overflows, and the result is -0; -Inf·0 is NaN; NaN gives NaN.
// Launch:   a thread a number, and more. Barriers: none.
kernel void silu(device float* dst [[buffer(0)]],
                 device const float* x [[buffer(1)]],
                 constant uint& n [[buffer(2)]],
                 uint i [[thread_position_in_grid]])
{
    if (i < n) {
        float v = x[i];
        dst[i] = v * (1.0f / (1.0f + precise::exp(-v)));
    }
}
