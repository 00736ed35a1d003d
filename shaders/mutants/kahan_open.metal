// The pragmas are missing: relaxed and fast mode may reassociate, and (t - s) - y is then 0, which leaves a
// plain sum.

#include <metal_stdlib>
using namespace metal;

kernel void sum_kahan(device const float* x [[buffer(0)]],
                      device float* out [[buffer(1)]],
                      constant uint& n [[buffer(2)]])
{
    float s = x[0];
    float c = 0.0f;
    for (uint i = 1; i < n; i++) {
        float y = x[i] - c;
        float t = s + y;
        c = (t - s) - y;
        s = t;
    }
    if (!isfinite(s)) {
        s = x[0];
        c = 0.0f;
        for (uint i = 1; i < n; i++) {
            float v = x[i];
            float t = s + v;
            c += fabs(s) >= fabs(v) ? (s - t) + v : (v - t) + s;
            s = t;
        }
        if (isfinite(c) && c != 0.0f) {
            s += c;
        }
    }
    out[0] = s;
}
