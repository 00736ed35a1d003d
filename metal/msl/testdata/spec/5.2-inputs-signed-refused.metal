// Positions are unsigned.
// refused: uint
#include <metal_stdlib>
using namespace metal;

kernel void k(device int *o, int i [[thread_position_in_grid]]) { o[i] = i; }
