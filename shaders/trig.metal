// Sine and cosine of numbers in radians and in half turns. Host code and claims: trig.go. The functions: trig.h.
//
// Error:    2 ulp, and never beyond 1; of half turns none at multiples of 1/2.
// Launch:   a thread a number, and more. Barriers: none.

#include <metal_stdlib>
using namespace metal;

#include "trig.h"

// sine writes sin x.
kernel void sine(device float* dst [[buffer(0)]],
                 device const float* x [[buffer(1)]],
                 constant uint& n [[buffer(2)]],
                 uint i [[thread_position_in_grid]])
{
    if (i < n) {
        dst[i] = trig_sin(x[i]);
    }
}

// cosine writes cos x.
kernel void cosine(device float* dst [[buffer(0)]],
                   device const float* x [[buffer(1)]],
                   constant uint& n [[buffer(2)]],
                   uint i [[thread_position_in_grid]])
{
    if (i < n) {
        dst[i] = trig_cos(x[i]);
    }
}

// sine_half_turns writes sin πx.
kernel void sine_half_turns(device float* dst [[buffer(0)]],
                            device const float* x [[buffer(1)]],
                            constant uint& n [[buffer(2)]],
                            uint i [[thread_position_in_grid]])
{
    if (i < n) {
        dst[i] = trig_sinpi(x[i]);
    }
}

// cosine_half_turns writes cos πx.
kernel void cosine_half_turns(device float* dst [[buffer(0)]],
                              device const float* x [[buffer(1)]],
                              constant uint& n [[buffer(2)]],
                              uint i [[thread_position_in_grid]])
{
    if (i < n) {
        dst[i] = trig_cospi(x[i]);
    }
}
