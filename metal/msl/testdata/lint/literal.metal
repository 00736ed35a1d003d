#include <metal_stdlib>
using namespace metal;

#define BIG 16777217
#define HALF_PI M_PI_2_F
constant float big = 33554433; // want 22 literal 33554433, which is no float, becomes 33554432

template <typename T> T tenth(T x) { return x * 0.3; } // want 49 literal 0.3 is a float, so that this is computed in float and then rounded to half; write 0.3h

kernel void promotes(device half* h [[buffer(0)]], device half4* v [[buffer(1)]], device bfloat* b [[buffer(2)]],
                     uint i [[thread_position_in_grid]])
{
    h[i] = h[i] * 0.3;              // want 19 literal 0.3 is a float
    h[i] += 0.3f;                   // want 13 literal write 0.3h
    h[i] = 1.1 - h[i] * h[i];       // want 12 literal 1.1 is a float
    b[i] = bfloat(b[i] / 3.3);      // want 26 literal write 3.3bf
    h[i] = half(h[i] * 0.3f * i);   // want 24 literal 0.3f is a float
    h[i] = tenth(h[i]);
    // Nothing: the type's own literal, one that both types have, a cast that says float, a float that is kept.
    h[i] = h[i] * 0.3h + 0.5;
    h[i] = half(float(h[i]) * 0.3f);
    h[i] = half((float)h[i] * 0.3f);
    float y = h[i] * 0.3f;
    h[i] = half(y * 0.3f);
    h[i] = half(b[i] * 0.3f * h[i]);
    h[i] = 0.3f;
    v[i] = v[i] * 0.7f; // a vector's type is that of its elements
}

kernel void rounds(device float* x [[buffer(0)]], device half* h [[buffer(1)]], device int* k [[buffer(2)]], uint i [[thread_position_in_grid]])
{
    x[i] = x[i] + 16777217;         // want 19 literal 16777217, which is no float, becomes 16777216; write 0x1p+24f
    x[i] = x[i] * -16777219;        // want 20 literal becomes 16777220
    x[i] = x[i] + BIG;              // want 19 literal 16777217
    h[i] = h[i] * 2049;             // want 19 literal 2049, which is no half, becomes 2048
    x[i] = x[i] * 3.141592653589793; // want 19 literal which has the digits of a double and no suffix, becomes the float 0x1.921fb6p+01; write
    x[i] = x[i] * 1e-60f;           // want 19 literal too small for a float, becomes 0
    h[i] = h[i] + 1e6h;             // want 19 literal too large for a half, becomes infinite
    x[i] = x[i] * (1 / 3);          // want 22 literal 1 / 3 is divided in integers, and becomes 0; write 1.0f
    float y = -7 / 2;               // want 18 literal becomes -3
    x[i] += big + y;
    // Nothing: exact, or the nearest float written as usual, or in an integer.
    x[i] = x[i] + 16777216 + 16777218;
    x[i] = x[i] * 3.14159265f + 0.0009765625f + 3.402823466e38f + 8.507059173023462e37f + 0.7978845608028654f;
    x[i] = x[i] * HALF_PI + M_PI_F + 0x1.921fb6p+1f + 0.f + 1.0e0f;
    x[i] = x[i] * (4 / 2) * (7.0f / 2);
    k[i] = k[i] + 16777217 + 1 / 3;
    h[i] = h[i] * 2050;
}
