// mul24 and mad24 of numbers of 24 bits.
#include <metal_stdlib>
using namespace metal;

// run k 0=int*3 -> 0=int[-8388607 110 1048576]
kernel void k(device int *o) {
    o[0] = mul24(8388607, -1);
    o[1] = mad24(10, 10, 10);
    o[2] = int(mul24(1024u, 1024u));
}
