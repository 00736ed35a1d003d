// grid_size and thread_position_in_grid have as many components, and of a type each.
#include <metal_stdlib>
using namespace metal;

// run k threads=2,2 0=uint*4 -> 0=uint[22 23 24 25]
kernel void k(device uint *o, ushort2 p [[thread_position_in_grid]], uint2 n [[grid_size]]) {
    o[p.x + 2 * p.y] = p.x + 2 * p.y + 10 * n.x + n.y;
}
