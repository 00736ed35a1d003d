// A kernel is not called by another function.
// refused: kernel
#include <metal_stdlib>
using namespace metal;

kernel void a(device int *o) { *o = 1; }
kernel void b(device int *o) { a(o); }
