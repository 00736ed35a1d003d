// Fast2Sum in the place of 2Sum: wrong where the second operand is the larger one.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

kernel void eft_two_sum(device const float2* x [[buffer(0)]],
                        device float2* z [[buffer(1)]],
                        constant uint& n [[buffer(2)]],
                        uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = fast_two_sum(x[i].x, x[i].y);
}
