// The other functions of fast::.
#include <metal_stdlib>
using namespace metal;

bool near(float a, float b) { return fabs(a - b) <= fabs(b) * 0x1p-9f; }
// run k 0=float[0.5 1] 1=int*10 -> 1=int[1 1 1 1 1 1 1 1 1 1]
kernel void k(device const float *x, device int *o) {
    o[0] = near(fast::tan(x[0]), 0.5463025f);
    o[1] = near(fast::asin(x[0]), 0.5235988f);
    o[2] = near(fast::acos(x[0]), 1.0471976f);
    o[3] = near(fast::atan(x[1]), 0.7853982f);
    o[4] = near(fast::tanh(x[0]), 0.46211717f);
    o[5] = near(fast::exp10(x[1]), 10);
    o[6] = near(fast::log10(x[0]), -0.30103f);
    o[7] = near(fast::powr(x[0], x[1]), 0.5f);
    o[8] = fast::fmax(x[0], x[1]) == 1 && fast::clamp(x[1], 0.0f, x[0]) == 0.5f;
    o[9] = fast::floor(x[0]) == 0 && fast::fract(x[0]) == 0.5f;
}
