// A parameter of a kernel is a buffer or an input of the thread.
// refused: by value
#include <metal_stdlib>
using namespace metal;

kernel void k(device int *o, int n) { *o = n; }
