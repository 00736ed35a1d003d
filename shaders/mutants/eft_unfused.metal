// The error of the product is written as a*b - p, which contract(off) rounds twice: it is always 0.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

kernel void eft_two_prod(device const float2* x [[buffer(0)]],
                         device float2* z [[buffer(1)]],
                         constant uint& n [[buffer(2)]],
                         uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float p = x[i].x * x[i].y;
    float e = x[i].x * x[i].y - p;
    z[i] = float2(p, e);
}
