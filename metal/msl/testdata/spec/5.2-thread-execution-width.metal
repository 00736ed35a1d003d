// thread_execution_width is the older name for the size of a simdgroup.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 width=4 0=uint*4 -> 0=uint[4 4 4 4]
kernel void k(device uint *o, uint w [[thread_execution_width]], uint i [[thread_position_in_grid]]) { o[i] = w; }
