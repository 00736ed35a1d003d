// A character is a char.
#include <metal_stdlib>
using namespace metal;

// run k 0=int*4 -> 0=int[65 10 0 1]
kernel void k(device int *o) {
    o[0] = 'A';
    o[1] = '\n';
    o[2] = '\0';
    o[3] = sizeof('x');
}
