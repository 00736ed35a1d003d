// A [[stitchable]] function is called as any other.
#include <metal_stdlib>
using namespace metal;

[[stitchable]] float blend(float a, float b) { return (a + b) * 0.5f; }
// run k 0=float[4 6] -> 0=float[5 6]
kernel void k(device float *x) { *x = blend(x[0], x[1]); }
