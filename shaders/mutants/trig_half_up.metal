// The half between two quadrants is rounded up, not to the even one.

#include <metal_stdlib>
using namespace metal;

#include "trig.h"

inline float rounded_up(float x)
{
    if (!trig_finite(x) || x == 0.0f || fabs(x) > 105615.0f) {
        return trig_sin(x);
    }
    float n = floor(x * 0.636619772f + 0.5f);
    float r = fma(-n, as_type<float>(0x3fc90fdau), x);
    r = fma(-n, as_type<float>(0x33a22168u), r);
    r = fma(-n, as_type<float>(0x27c234c5u), r);
    return trig_turned(int(n), r);
}

kernel void sine(device float* dst [[buffer(0)]],
                 device const float* x [[buffer(1)]],
                 constant uint& n [[buffer(2)]],
                 uint i [[thread_position_in_grid]])
{
    if (i < n) {
        dst[i] = rounded_up(x[i]);
    }
}
