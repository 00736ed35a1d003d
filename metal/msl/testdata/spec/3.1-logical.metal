// && and || of scalars stop at the first operand that decides; of vectors they work on each component.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[0 4] 1=int*6 -> 1=int[0 1 0 1 1 0]
kernel void k(device const int *x, device int *o) {
    int n = 0;
    o[0] = x[0] && n++;
    o[1] = x[1] || n++;
    o[2] = n;
    bool2 a = bool2(true, false), b = bool2(true, true);
    bool2 c = a && b, d = a || !b;
    o[3] = c.x;
    o[4] = d.x;
    o[5] = d.y;
}
