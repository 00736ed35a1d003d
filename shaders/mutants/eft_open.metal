// The fp pragmas are missing: a compiler in fast mode knows that (s-(s-b)) is b, and that the error is 0.

#include <metal_stdlib>
using namespace metal;

#define GAMMA_OPEN
#include "dd.h"

kernel void eft_two_sum(device const float2* x [[buffer(0)]],
                        device float2* z [[buffer(1)]],
                        constant uint& n [[buffer(2)]],
                        uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = two_sum(x[i].x, x[i].y);
}
