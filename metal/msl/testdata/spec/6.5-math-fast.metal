// fast:: of each function is there; the accuracies are lower, so that these bounds are 2^-10 of the result.
#include <metal_stdlib>
using namespace metal;

bool near(float a, float b) { return fabs(a - b) <= fabs(b) * 0x1p-10f; }
// run k 0=float[0.5 2] 1=int*10 -> 1=int[1 1 1 1 1 1 1 1 1 1]
kernel void k(device const float *x, device int *o) {
    o[0] = near(fast::exp(x[0]), 1.6487213f);
    o[1] = near(fast::exp2(x[0]), 1.4142135f);
    o[2] = near(fast::log(x[1]), 0.6931472f);
    o[3] = near(fast::log2(x[1]), 1);
    o[4] = near(fast::sin(x[0]), 0.47942555f);
    o[5] = near(fast::cos(x[0]), 0.87758255f);
    o[6] = near(fast::sqrt(x[1]), 1.4142135f);
    o[7] = near(fast::rsqrt(x[1]), 0.70710677f);
    o[8] = near(fast::pow(x[1], x[0]), 1.4142135f);
    o[9] = near(fast::divide(x[0], x[1]), 0.25f);
}
