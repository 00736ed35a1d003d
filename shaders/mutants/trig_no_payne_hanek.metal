// Large arguments are reduced by three constants as well.

#include <metal_stdlib>
using namespace metal;

#include "trig.h"

inline float stepped(float x)
{
    if (!trig_finite(x) || x == 0.0f || fabs(x) <= 105615.0f) {
        return trig_sin(x);
    }
    float n = rint(x * 0.636619772f);
    float r = fma(-n, as_type<float>(0x3fc90fdau), x);
    r = fma(-n, as_type<float>(0x33a22168u), r);
    r = fma(-n, as_type<float>(0x27c234c5u), r);
    int k = int(n - 4.0f * floor(n * 0.25f)); // exact
    return clamp(trig_turned(k, r), -1.0f, 1.0f);
}

kernel void sine(device float* dst [[buffer(0)]],
                 device const float* x [[buffer(1)]],
                 constant uint& n [[buffer(2)]],
                 uint i [[thread_position_in_grid]])
{
    if (i < n) {
        dst[i] = stepped(x[i]);
    }
}
