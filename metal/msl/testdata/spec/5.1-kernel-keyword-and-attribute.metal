// kernel and [[kernel]] declare entry points.
#include <metal_stdlib>
using namespace metal;

// run a 0=int*1 -> 0=int[1]
kernel void a(device int *o) { *o = 1; }
// run b 0=int*1 -> 0=int[2]
[[kernel]] void b(device int *o) { *o = 2; }
