// Payne and Hanek's window has two words where three are needed.

#include <metal_stdlib>
using namespace metal;

#include "trig.h"

inline float narrow(float x)
{
    if (!trig_finite(x) || fabs(x) <= 105615.0f) {
        return trig_sin(x);
    }
    uint b = as_type<uint>(x);
    uint m = (b & 0x7fffffu) | 0x800000u;
    uint from = ((b >> 23) & 0xffu) - 120u;
    ulong middle = ulong(m) * trig_window((from >> 5) + 1, from & 31u);
    uint high = m * trig_window(from >> 5, from & 31u) + uint(middle >> 32);
    int k = int(high >> 30);
    ulong f = ((ulong(high) << 32) | (middle & 0xfffffffful)) << 2;
    bool negative = (f >> 63) != 0;
    if (negative) {
        k++;
        f = 0ul - f;
    }
    float r = float(f) * 0x1p-64f * 1.57079637f;
    if (x < 0.0f) {
        k = -k;
        negative = !negative;
    }
    return trig_turned(k, negative ? -r : r);
}

kernel void sine(device float* dst [[buffer(0)]],
                 device const float* x [[buffer(1)]],
                 constant uint& n [[buffer(2)]],
                 uint i [[thread_position_in_grid]])
{
    if (i < n) {
        dst[i] = narrow(x[i]);
    }
}
