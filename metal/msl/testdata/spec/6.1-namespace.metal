// The library is in namespace metal, and its functions may be named with it, or by using declarations.
#include <metal_stdlib>
using metal::max;
namespace m = metal;
// run k 0=int*3 -> 0=int[4 2 7]
kernel void k(device int *o) {
    o[0] = max(3, 4);
    o[1] = metal::min(2, 3);
    o[2] = int(m::floor(7.5f));
}
