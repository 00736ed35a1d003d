#include <metal_stdlib>
using namespace metal;

inline float2 hopeful(float a, float b)
{
    float p = a * b;
    float e = a * b - p;            // want 21 transform this product less itself is 0, unless a compiler happens to fuse it
    return float2(p, e);
}

kernel void differences(device float2* x [[buffer(0)]], device int* k [[buffer(1)]], uint i [[thread_position_in_grid]])
{
    float2 v = hopeful(x[i].x, x[i].y);
    v.x = v.x * v.y;
    v.y = -v.x + x[i].x;
    float q = v.x * v.y;
    x[i + 1].x = -q + v.x * v.y;    // want 21 transform write fma(a, b, -p) for p = a * b
    // Nothing: an error by a fused operation below contract(off), other products, a sum, integers, a difference of what is no product.
    float a = x[i + 2].x, b = x[i + 2].y, p = a * b;
    x[i] = v + float2(a * a - p, p + a * b);
    k[i] = k[i + 1] * k[i + 2] - k[i + 1] * k[i + 2];
    x[i + 2].x = a - a + determinant(float2x2(a, a, v.x, v.x));
}

#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)

kernel void off(device float2* x [[buffer(0)]], uint i [[thread_position_in_grid]])
{
    float a = x[i].x, b = x[i].y, p = a * b;
    float e = a * b - p;            // want 21 transform is 0
    x[i] = float2(p, e + fma(a, b, -p));
}
