// hadd and rhadd are halves of sums, without overflow, rounded down and up.
#include <metal_stdlib>
using namespace metal;

// run k 0=uint*5 -> 0=uint[4294967294 4294967295 2 3 0xfffffffe]
kernel void k(device uint *o) {
    o[0] = hadd(4294967295u, 4294967294u);
    o[1] = rhadd(4294967295u, 4294967294u);
    o[2] = hadd(2, 3);
    o[3] = rhadd(2, 3);
    o[4] = hadd(-2, -1);
}
