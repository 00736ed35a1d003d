// The products are rounded before they are added, with fused operations, and the low words are left out: not one rounding.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

struct complex_dd {
    float re_hi, re_lo;
    float im_hi, im_lo;
};

struct complex_dd_pair {
    complex_dd x, y;
};

kernel void complex_multiply_extended(device const complex_dd_pair* x [[buffer(0)]],
                                      device float2* z [[buffer(1)]],
                                      constant uint& n [[buffer(2)]],
                                      uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float a = x[i].x.re_hi;
    float b = x[i].x.im_hi;
    float c = x[i].y.re_hi;
    float d = x[i].y.im_hi;
    z[i] = float2(fma(a, c, -(b * d)), fma(a, d, b * c));
}
