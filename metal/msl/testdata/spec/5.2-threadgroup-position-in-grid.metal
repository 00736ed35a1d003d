// Position and number of threadgroups.
#include <metal_stdlib>
using namespace metal;

// run k groups=2,2 threads=1 0=uint*4 -> 0=uint[22 122 1022 1122]
kernel void k(device uint *o, uint2 g [[threadgroup_position_in_grid]], uint2 n [[threadgroups_per_grid]]) {
    o[g.x + n.x * g.y] = 100 * g.x + 1000 * g.y + n.x + 10 * n.y;
}
