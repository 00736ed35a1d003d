// The splitter of another precision, 2^11+1: the high half has 13 bits, whose products are not exact.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

kernel void eft_split(device const float* x [[buffer(0)]],
                      device float2* z [[buffer(1)]],
                      constant uint& n [[buffer(2)]],
                      uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float c = 2049.0f * x[i];
    float d = c - x[i];
    float h = c - d;
    z[i] = float2(h, x[i] - h);
}
