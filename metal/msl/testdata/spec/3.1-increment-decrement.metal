// ++ and -- before and after, of scalars, components and vectors.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[1 2 3 4] 1=int*4 -> 0=int[2 3 5 3] 1=int[1 3 4 4]
kernel void k(device int4 *x, device int4 *o) {
    int4 v = *x;
    o->x = v.x;
    v++;
    o->y = v.y;
    o->z = v.z++;
    v.w--;
    --v.w;
    o->w = ++v.w;
    *x = v;
    (*x).w -= 1;
}
