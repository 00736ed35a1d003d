// A constant of the program needs a constant value.
// refused: not known when compiling
#include <metal_stdlib>
using namespace metal;

int f(device int *p);
constant int n = f(nullptr);
kernel void k(device int *o) { o[0] = n; }
