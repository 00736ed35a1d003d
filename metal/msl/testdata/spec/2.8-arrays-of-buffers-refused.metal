// An array of buffers is one argument for each.
// refused: arrays of buffers
#include <metal_stdlib>
using namespace metal;

kernel void k(array<device int *, 2> a [[buffer(0)]]) { a[0][0] = a[1][0]; }
