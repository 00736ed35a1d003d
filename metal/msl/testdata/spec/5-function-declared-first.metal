// A function is declared before and defined after its use.
#include <metal_stdlib>
using namespace metal;

int later(int x);
// run k 0=int[4] -> 0=int[5]
kernel void k(device int *x) { *x = later(*x); }
int later(int x) { return x + 1; }
