// Where the grid begins and how large it is.
#include <metal_stdlib>
using namespace metal;

// run k groups=2 threads=3 0=uint*6 -> 0=uint[60 61 62 63 64 65]
kernel void k(device uint *o, uint at [[thread_position_in_grid]], uint origin [[grid_origin]], uint size [[grid_size]]) {
    o[at] = 10 * size + at + origin;
}
