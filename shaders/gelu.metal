// Activations. Host code and claims: gelu.go.

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
template <typename T>
kernel void silu_of(device T* dst [[buffer(0)]],
                    device const T* x [[buffer(1)]],
                    constant uint& n [[buffer(2)]],
                    uint i [[thread_position_in_grid]])
{
    if (i < n) {
        float v = float(x[i]);
        dst[i] = T(v * (1.0f / (1.0f + precise::exp(-v))));
    }
}

template [[host_name("silu")]] [[kernel]] decltype(silu_of<float>) silu_of<float>;
template [[host_name("silu_half")]] [[kernel]] decltype(silu_of<half>) silu_of<half>;

// each writes F::of of each of n numbers, which is computed in float.
//
// Launch:   a thread a number, and more. Barriers: none.
template <typename F, typename T>
kernel void each(device T* dst [[buffer(0)]],
                 device const T* x [[buffer(1)]],
                 constant uint& n [[buffer(2)]],
                 uint i [[thread_position_in_grid]])
{
    if (i < n) {
        dst[i] = T(F::of(float(x[i])));
    }
}

// relu is max(x, 0). Special: NaN gives NaN.
struct relu {
    static float of(float x) { return x <= 0.0f ? 0.0f : x; }
};

// leaky_relu is x where x > 0, and x/100 elsewhere.
struct leaky_relu {
    static float of(float x) { return x > 0.0f ? x : 0.01f * x; }
};

// elu is x where x > 0, and exp(x) - 1 elsewhere: Metal has no expm1.
struct elu {
    static float of(float x) { return x > 0.0f ? x : precise::exp(x) - 1.0f; }
};

// sigmoid is 1/(1 + exp(-x)).
struct sigmoid {
    static float of(float x) { return 1.0f / (1.0f + precise::exp(-x)); }
};

// hyperbolic is tanh x.
struct hyperbolic {
    static float of(float x) { return precise::tanh(x); }
};

template [[host_name("relu")]] [[kernel]] decltype(each<relu, float>) each<relu, float>;
template [[host_name("relu_half")]] [[kernel]] decltype(each<relu, half>) each<relu, half>;
template [[host_name("leaky_relu")]] [[kernel]] decltype(each<leaky_relu, float>) each<leaky_relu, float>;
template [[host_name("leaky_relu_half")]] [[kernel]] decltype(each<leaky_relu, half>) each<leaky_relu, half>;
template [[host_name("elu")]] [[kernel]] decltype(each<elu, float>) each<elu, float>;
template [[host_name("elu_half")]] [[kernel]] decltype(each<elu, half>) each<elu, half>;
template [[host_name("sigmoid")]] [[kernel]] decltype(each<sigmoid, float>) each<sigmoid, float>;
template [[host_name("sigmoid_half")]] [[kernel]] decltype(each<sigmoid, half>) each<sigmoid, half>;
template [[host_name("tanh")]] [[kernel]] decltype(each<hyperbolic, float>) each<hyperbolic, float>;
template [[host_name("tanh_half")]] [[kernel]] decltype(each<hyperbolic, half>) each<hyperbolic, half>;
