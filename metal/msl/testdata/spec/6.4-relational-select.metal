// select(a, b, c) is c ? b : a, by component.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[1 2 3 4] 1=int*4 2=float*2 -> 1=int[-1 2 -3 4] 2=float[2.5 1.5]
kernel void k(device const int4 *x, device int4 *o, device float *f) {
    *o = select(*x, -*x, bool4(true, false, true, false));
    f[0] = select(1.5f, 2.5f, x->x == 1);
    f[1] = float(select(1.5h, 2.5h, x->x == 2));
}
