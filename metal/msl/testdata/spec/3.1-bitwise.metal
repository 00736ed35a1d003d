// & | ^ of integers and of vectors of them.
#include <metal_stdlib>
using namespace metal;

// run k 0=uint[12 10] 1=uint*6 -> 1=uint[8 14 6 4 2 7]
kernel void k(device const uint *x, device uint *o) {
    o[0] = x[0] & x[1];
    o[1] = x[0] | x[1];
    o[2] = x[0] ^ x[1];
    uint2 v = uint2(x[0], x[1]) & 6u;
    o[3] = v.x;
    o[4] = v.y;
    o[5] = (ushort2(5, 6) | ushort2(2, 0)).x;
}
