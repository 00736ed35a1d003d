// An array of buffers is one argument for each, from its index on; a buffer without an index has the next one that is free.
#include <metal_stdlib>
using namespace metal;

struct Pair { int a; int b; };
// run sums threads=3 0=int[1 2 3] 1=int[10 20 30] 2=int[0 0 0] 3=int[5 6] -> 2=int[17 38 34]
kernel void sums(array<device const int *, 2> x [[buffer(0)]], device int *out, constant Pair &p, uint i [[thread_position_in_grid]]) {
    int s = i == 0 ? p.a : i == 1 ? p.b : 0;
    for (uint k = 0; k < x.size(); k++) s += x[k][i];
    out[i] = s + x[i & 1][0];
}
// run moved threads=2 0=int[7 8] 1=int[0 0] 2=int[0 0] -> 1=int[7 0] 2=int[0 8]
kernel void moved(device int *in, array<device int *, 2> x, uint i [[thread_position_in_grid]]) {
    x[i][i] = in[i];
}
