// The sum of the lazy butterfly is not reduced: it is below 4q, and claimed below 2q.

#include <metal_stdlib>
using namespace metal;

#include "modular.h"

kernel void shoup_inverse_butterfly_lazy_2q(device const ulong4* x [[buffer(0)]],
                                            device ulong2* z [[buffer(1)]],
                                            constant uint& n [[buffer(2)]],
                                            constant ulong& q [[buffer(3)]],
                                            uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    ulong a = x[i].x;
    ulong b = x[i].y;
    z[i] = ulong2(a + b, shoup_lazy_2q(a + 2 * q - b, x[i].zw, q));
}
