// A [[visible]] function is called as any other.
#include <metal_stdlib>
using namespace metal;

[[visible]] int twice(int x) { return 2 * x; }
// run k 0=int[4] -> 0=int[8]
kernel void k(device int *x) { *x = twice(*x); }
