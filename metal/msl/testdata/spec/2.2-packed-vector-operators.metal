// Components of packed vectors are read and assigned to by number and name, and they are operands of operators.
#include <metal_stdlib>
using namespace metal;

// run k 0=int*4 1=short[4 5 6 7] -> 0=int[8 12 6 28] 1=short[8 10 6 7]
kernel void k(device packed_int4 *o, device packed_short3 *s) {
    packed_short3 p = s[0];
    p.x += p[0];
    p[1] = p.y * 2;
    s[0] = p;
    *o = packed_int4(p.x, p.y + 2, p.z, 4 * 7);
}
