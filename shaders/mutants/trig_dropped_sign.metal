// The sign of the argument is dropped, as of an even function.

#include <metal_stdlib>
using namespace metal;

#include "trig.h"

kernel void sine(device float* dst [[buffer(0)]],
                 device const float* x [[buffer(1)]],
                 constant uint& n [[buffer(2)]],
                 uint i [[thread_position_in_grid]])
{
    if (i < n) {
        dst[i] = trig_sin(fabs(x[i]));
    }
}
