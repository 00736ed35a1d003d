// A vector made of one of another type converts each component; a list in braces makes one, too.
#include <metal_stdlib>
using namespace metal;

// run k 0=float[1.75 -2.75 3.5 -0.5] 1=int*8 -> 1=int[1 -2 3 0 1 2 3 4]
kernel void k(device const float4 *x, device int4 *o) {
    o[0] = int4(*x);
    int4 v = {1, 2, 3, 4};
    o[1] = v;
}
