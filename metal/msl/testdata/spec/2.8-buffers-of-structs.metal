// A buffer of structs with arrays and vectors in them.
#include <metal_stdlib>
using namespace metal;

struct Item {
    packed_short2 at;
    int values[2];
};
// run k threads=2 0=short[1 2]int[3 4]short[5 6]int[7 8] 1=int*2 -> 0=short[1 2]int[3 10]short[5 6]int[7 26] 1=int[10 26]
kernel void k(device Item *x, device int *o, uint i [[thread_position_in_grid]]) {
    device Item &it = x[i];
    it.values[1] = it.at.x + it.at[1] + it.values[0] + it.values[1];
    o[i] = it.values[1];
}
