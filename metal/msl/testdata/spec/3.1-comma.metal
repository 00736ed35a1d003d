// The comma evaluates the left operand for its effects.
#include <metal_stdlib>
using namespace metal;

// run k 0=int*2 -> 0=int[6 3]
kernel void k(device int *o) {
    int a = 1, b = (a++, a++, a * 2);
    o[0] = b;
    for (a = 0, b = 6; a < b; a++, b--) {}
    o[1] = a;
}
