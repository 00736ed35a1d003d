// Pointers to functions.
// refused: function pointers
#include <metal_stdlib>
using namespace metal;

int apply(int (*f)(int), int x) { return f(x); }
kernel void k(device int *o) { *o = 1; }
