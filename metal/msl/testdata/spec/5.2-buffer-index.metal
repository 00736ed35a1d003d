// [[buffer(n)]] gives the place of an argument; others are counted around it.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[10] 1=int[20] 2=int*1 3=int[40] -> 2=int[1050]
kernel void k(device int *o [[buffer(2)]], device const int *a, device const int *b, device const int *c [[buffer(3)]]) {
    *o = *a + *b * *c + *b * *a + 2 * *b;
}
