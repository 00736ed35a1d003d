// max_total_threads_per_threadgroup limits what is dispatched.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 0=int*4 -> 0=int[0 1 2 3]
[[max_total_threads_per_threadgroup(64)]] kernel void k(device int *o, uint i [[thread_position_in_grid]]) { o[i] = i; }
