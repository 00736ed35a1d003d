// A float becomes an integer by dropping what is after the point.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[2.75 -2.75 0.99609375 100.5] 1=int*5 -> 1=int[2 -2 0 100 200]
kernel void k(device const float *x, device int *o) {
    for (int i = 0; i < 4; i++) o[i] = int(x[i]);
    o[4] = uchar(200.75f);
}
