// The products of the real part are added: that is x times the conjugate of y.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

kernel void complex_fma(device const float4* x [[buffer(0)]],
                        device float2* z [[buffer(1)]],
                        constant uint& n [[buffer(2)]],
                        uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float a = x[i].x;
    float b = x[i].y;
    float c = x[i].z;
    float d = x[i].w;
    float re = fma(a, c, b * d);
    float im = fma(a, d, b * c);
    z[i] = float2(re, im);
}
