// + - ! ~ of scalars and vectors.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[5 -6] 1=int*8 -> 1=int[-5 6 5 -6 -6 5 0 1]
kernel void k(device const int2 *x, device int *o) {
    int2 a = -*x, b = +*x, c = ~*x;
    bool2 d = !(*x > 0);
    o[0] = a.x; o[1] = a.y;
    o[2] = b.x; o[3] = b.y;
    o[4] = c.x; o[5] = c.y;
    o[6] = d.x; o[7] = d.y;
}
