// host_name is the kernel's name outside.
#include <metal_stdlib>
using namespace metal;

// run outside 0=int*1 -> 0=int[3]
[[host_name("outside")]] kernel void inside(device int *o) { *o = 3; }
