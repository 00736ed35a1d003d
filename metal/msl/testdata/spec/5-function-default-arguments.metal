// Default arguments.
#include <metal_stdlib>
using namespace metal;

int sum(int a, int b = 20, int c = 300) { return a + b + c; }
// run k 0=int*3 -> 0=int[321 303 6]
kernel void k(device int *o) {
    o[0] = sum(1);
    o[1] = sum(1, 2);
    o[2] = sum(1, 2, 3);
}
