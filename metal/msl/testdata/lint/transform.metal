#include <metal_stdlib>
using namespace metal;

inline float2 two_sum(float a, float b)
{
    float s = a + b;
    float a1 = s - b;               // want 18 transform contraction is on around this error-free transform
    float b1 = s - a1;
    return float2(s, (a - a1) + (b - b1));
}

inline float2 two_sum_left(float a, float b)
{
    float s = a + b;
    float v = s - a;                // want 17 transform contraction
    return float2(s, (a - (s - v)) + (b - v));
}

inline float2 split(half a, float b)
{
    float c = 4097.0f * b;
    float d = b - c;
    float h = d + c;                // want 17 transform contraction
    return float2(h, b - h);
}

inline float2 two_prod(float a, float b)
{
    float p = a * b;
    float e = fma(a, b, -p);        // want 15 transform contraction
    return float2(p, e);
}

kernel void transforms(device float2* x [[buffer(0)]], uint i [[thread_position_in_grid]])
{
    float2 v = x[i];
    v = two_sum(v.x, v.y);
    v = two_sum(v.y, v.x);
    v = two_sum_left(v.x, v.y);
    v = split(1.0h, v.x);
    v = two_prod(v.x, v.y);
    v.y = fma(-v.x, v.y, v.y * v.x); // want 11 transform contraction
    x[i] = v;
}

kernel void kahan(device const float* x [[buffer(0)]], device float* out [[buffer(1)]], constant uint& n [[buffer(2)]])
{
    float s = 0.0f, c = 0.0f;
    for (uint i = 0; i < n; i++) {
        float y = x[i] - c;
        float t = s + y;
        c = (t - s) - y;            // want 16 transform contraction
        s = t;
    }
    out[0] = s;
}

kernel void plain(device float* x [[buffer(0)]], device int* k [[buffer(1)]], uint i [[thread_position_in_grid]])
{
    // Nothing: no term is taken back, a constant that rounds to an integer, integers, another value of a variable.
    float a = x[i], b = x[i + 1];
    float s = a + b;
    x[i] = s - x[i + 2] + (b - a) * 0.5f;
    x[i + 1] = (a + 12582912.0f) - 12582912.0f;
    k[i] = (k[i + 1] + k[i + 2]) - k[i + 1];
    b = x[i + 3];
    x[i + 2] = s - b;
    x[i + 3] = fma(a, b, -(a * a));
    x[i + 4] = fma(a, b, a * b);
    x[i + 5] = (a + b) + a;
    float w = a + x[i + 6], v = a;
    if (k[i] > 0) {
        w = x[i + 6];
        v = a + b;
    } else {
        x[i + 7] = v - a;
    }
    x[i + 8] = w - a;
}

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

inline float2 guarded(float a, float b)
{
    float s = a + b;
    float v = s - a;
    return float2(s, (a - (s - v)) + (b - v));
}

kernel void safe(device float2* x [[buffer(0)]], uint i [[thread_position_in_grid]])
{
    x[i] = guarded(x[i].x, x[i].y);
}
