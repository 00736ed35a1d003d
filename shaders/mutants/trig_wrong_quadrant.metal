// The sign of the quadrant before: the polynomial is that of a cosine, and the sign that of a sine.

#include <metal_stdlib>
using namespace metal;

#include "trig.h"

inline float signed_early(float x)
{
    if (!trig_finite(x)) {
        return trig_nan();
    }
    int k = 0;
    float r = trig_reduced(x, k);
    float y = (k & 1) != 0 ? trig_sine_near(r) : trig_cosine_near(r);
    return (k & 2) != 0 ? -y : y;
}

kernel void cosine(device float* dst [[buffer(0)]],
                   device const float* x [[buffer(1)]],
                   constant uint& n [[buffer(2)]],
                   uint i [[thread_position_in_grid]])
{
    if (i < n) {
        dst[i] = signed_early(x[i]);
    }
}
