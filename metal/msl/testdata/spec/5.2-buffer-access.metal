// access of a buffer.
#include <metal_stdlib>
using namespace metal;

// run k threads=2 0=int[3 4] 1=int*2 -> 1=int[9 16]
kernel void k(device const int *x [[buffer(0), access(read)]], device int *o [[buffer(1), access(write)]], uint i [[thread_position_in_grid]]) {
    o[i] = x[i] * x[i];
}
