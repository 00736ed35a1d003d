// A pointer into one address space is none into another.
// refused: thread int*
#include <metal_stdlib>
using namespace metal;

int first(thread int *p) { return *p; }
kernel void k(device int *o) { o[0] = first(o); }
