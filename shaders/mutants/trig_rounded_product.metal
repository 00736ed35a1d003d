// The sine of a rounded product with π, in the place of that of half turns.

#include <metal_stdlib>
using namespace metal;

#include "trig.h"

kernel void sine_half_turns(device float* dst [[buffer(0)]],
                            device const float* x [[buffer(1)]],
                            constant uint& n [[buffer(2)]],
                            uint i [[thread_position_in_grid]])
{
    if (i < n) {
        dst[i] = trig_sin(x[i] * 3.14159274f);
    }
}
