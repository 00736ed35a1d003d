// A function that calls itself in the middle of its work.
// refused: recursion
#include <metal_stdlib>
using namespace metal;

int factorial(int n) { return n < 2 ? 1 : n * factorial(n - 1); }
kernel void k(device int *o) { *o = factorial(5); }
