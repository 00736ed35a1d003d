// fast
#include <metal_stdlib>
using namespace metal;

kernel void open(device float2* x [[buffer(0)]], uint i [[thread_position_in_grid]])
{
    float a = x[i].x, b = x[i].y, s = a + b;
    float z = s - a;                // want 17 transform the math mode lets a compiler simplify this error-free transform
    x[i] = float2(s, b - z);
}

kernel void half_closed(device float2* x [[buffer(0)]], uint i [[thread_position_in_grid]])
{
#pragma clang fp contract(off)
    float a = x[i].x, b = x[i].y, s = a + b;
    float z = s - a;                // want 17 transform the math mode
    x[i] = float2(s, b - z);
}

kernel void closed(device float2* x [[buffer(0)]], uint i [[thread_position_in_grid]])
{
#pragma clang fp reassociate(off) contract(off)
    float a = x[i].x, b = x[i].y, s = a + b;
    float z = s - a;
    x[i] = float2(s, b - z);
}
