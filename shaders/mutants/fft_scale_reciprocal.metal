// 1/N is rounded first, and x multiplied by it: as much is lost as without double words, unless N is a power of two.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

kernel void fft_scale_extended(device const packed_float3* x [[buffer(0)]],
                               device float* z [[buffer(1)]],
                               constant uint& n [[buffer(2)]],
                               uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float3 v = x[i];
    z[i] = dw_times_fp3(v.xy, quotient(1.0f, v.z)).x;
}
