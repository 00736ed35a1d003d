// Arrays of C, of any dimension, also in structs, where they are copied.
#include <metal_stdlib>
using namespace metal;

struct Grid {
    int v[2][3];
};
// run k 0=int*4 -> 0=int[6 24 15 6]
kernel void k(device int *o) {
    Grid g = {{{1, 2, 3}, {4, 5, 6}}}, h = g;
    h.v[1][2] = 15;
    o[0] = g.v[1][2];
    o[1] = sizeof(g);
    o[2] = h.v[1][2];
    o[3] = sizeof(h.v) / sizeof(h.v[0][0]);
}
