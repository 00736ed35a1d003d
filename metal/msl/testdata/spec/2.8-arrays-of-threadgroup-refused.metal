// Arrays of buffers are of pointers into device or constant memory.
// refused: arrays of what is no pointer into device or constant memory
#include <metal_stdlib>
using namespace metal;

kernel void k(array<threadgroup int *, 2> a [[threadgroup(0)]]) { a[0][0] = a[1][0]; }
