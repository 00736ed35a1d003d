// Names for types, also as templates.
#include <metal_stdlib>
using namespace metal;

typedef int4 quad;
using pair_t = int2;
template <typename T> using row = array<T, 3>;
// run k 0=int*3 -> 0=int[10 3 9]
kernel void k(device int *o) {
    quad q = {1, 2, 3, 4};
    pair_t p = q.xy + q.zw;
    o[0] = p.x + p.y;
    row<int> r = {2, 3, 4};
    o[1] = r[1];
    o[2] = r[0] + r[1] + r[2];
}
