// static functions, and constants that are static.
#include <metal_stdlib>
using namespace metal;

static constant int step = 3;
static constexpr constant float half_of = 0.5;
static int next(int x) { return x + step; }
// run k 0=int[4] 1=float*1 -> 0=int[10] 1=float[5]
kernel void k(device int *x, device float *f) {
    *x = next(next(*x));
    *f = *x * half_of;
}
