// A swizzle without a component twice is assigned to.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[1 2 3 4] -> 0=int[30 40 20 14]
kernel void k(device int4 *x) {
    int4 v = *x;
    v.xz = int2(20, 30);
    v.zx = v.xz;
    v.y = 40;
    v.a += 10;
    *x = v;
}
