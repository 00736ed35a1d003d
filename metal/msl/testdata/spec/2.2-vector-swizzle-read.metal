// Components by xyzw or rgba, in any order, and more than once.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[1 2 3 4] 1=int*13 -> 1=int[4 3 2 1 1 1 2 2 3 1 2 3 4]
kernel void k(device const int4 *x, device int *o) {
    int4 v = *x;
    int4 a = v.wzyx, b = v.xxyy;
    int2 c = v.br;
    o[0] = a.x; o[1] = a.y; o[2] = a.z; o[3] = a.w;
    o[4] = b.x; o[5] = b.y; o[6] = b.z; o[7] = b.w;
    o[8] = c.x; o[9] = c.y;
    o[10] = v.yzw.x;
    o[11] = v.zw.xy.x;
    o[12] = v.a;
}
