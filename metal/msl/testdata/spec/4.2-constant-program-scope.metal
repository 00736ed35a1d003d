// Constants of the program, of scalars, vectors, arrays and structs.
#include <metal_stdlib>
using namespace metal;

struct Range {
    int low, high;
};
constant float scale = 2.5;
constant int4 steps = int4(1, 2, 3, 4);
constant int table[2][2] = {{1, 2}, {3, 4}};
constant Range range = {-1, 9};
constexpr constant int twice = table[1][0] * 2;
// run k threads=2 0=float*2 1=int*2 -> 0=float[2.5 5] 1=int[17 20]
kernel void k(device float *f, device int *o, uint i [[thread_position_in_grid]]) {
    f[i] = scale * float(steps[i]);
    o[i] = table[1][i] + range.high - range.low + twice - 2 * int(1 - i);
}
