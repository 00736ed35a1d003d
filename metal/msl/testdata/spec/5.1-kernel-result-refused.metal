// A kernel returns void.
// refused: void
#include <metal_stdlib>
using namespace metal;

kernel int k(device int *o) { return *o; }
