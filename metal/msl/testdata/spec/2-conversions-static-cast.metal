// static_cast and the casts of C convert scalars, vectors and pointers to void.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[2.5 -3.5] 1=int*5 -> 1=int[2 2 -3 -3 2]
kernel void k(device const float2 *x, device int *o) {
    o[0] = static_cast<int>(x->x);
    int2 v = static_cast<int2>(*x);
    o[1] = v.x;
    o[2] = v.y;
    o[3] = (int)x->y;
    o[4] = int(float(x->x));
}
