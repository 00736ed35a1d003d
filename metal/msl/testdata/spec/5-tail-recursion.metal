// A function whose last act is to call itself is a loop.
#include <metal_stdlib>
using namespace metal;

int gcd(int a, int b) { return b == 0 ? a : gcd(b, a % b); }
// run k threads=3 0=int[12 7 100] 1=int[18 5 75] -> 0=int[6 1 25]
kernel void k(device int *a, device const int *b, uint i [[thread_position_in_grid]]) { a[i] = gcd(a[i], b[i]); }
