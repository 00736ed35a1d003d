// Scalars convert to one another without a cast, where they are initialised, assigned, passed and returned.
#include <metal_stdlib>
using namespace metal;

int truncated(float x) { return x; }
// run k 0=int*5 1=float*1 -> 0=int[3 44 1 -3 5] 1=float[7]
kernel void k(device int *o, device float *f) {
    int a = 3.75f;
    uchar b = 300;
    bool c = 0.25f;
    o[0] = a;
    o[1] = b;
    o[2] = c;
    o[3] = truncated(-3.5h);
    o[4] = 5.0h;
    *f = 7;
}
