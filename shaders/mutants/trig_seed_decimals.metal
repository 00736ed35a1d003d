// Reduced by the decimal constants of the seed, which sum to π/2 + 8.74e-8.

#include <metal_stdlib>
using namespace metal;

#include "trig.h"

inline float seeds(float x)
{
    if (!trig_finite(x) || x == 0.0f || fabs(x) > 105615.0f) {
        return trig_sin(x);
    }
    float n = rint(x * 0.6366197723675814f);
    float r = fma(n, -1.5707963705062866f, x);
    r = fma(n, -4.3711388286738386e-08f, r);
    r = fma(n, -1.2560587133447677e-15f, r);
    return trig_turned(int(n), r);
}

kernel void sine(device float* dst [[buffer(0)]],
                 device const float* x [[buffer(1)]],
                 constant uint& n [[buffer(2)]],
                 uint i [[thread_position_in_grid]])
{
    if (i < n) {
        dst[i] = seeds(x[i]);
    }
}
