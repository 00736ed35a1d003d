// Of three, two and one dimensions.
#include <metal_stdlib>
using namespace metal;

// run k groups=1,2,1 threads=2,2,1 0=uint*8 -> 0=uint[0 1 10 11 20 21 30 31]
kernel void k(device uint *o, uint3 p [[thread_position_in_grid]], uint3 n [[threads_per_grid]]) {
    o[p.x + n.x * (p.y + n.y * p.z)] = p.x + 10 * p.y + 100 * p.z;
}
// run two groups=2,1 threads=1,2 0=ushort*4 -> 0=ushort[0 1 10 11]
kernel void two(device ushort *o, ushort2 p [[thread_position_in_grid]]) { o[p.x + 2 * p.y] = p.x + 10 * p.y; }
