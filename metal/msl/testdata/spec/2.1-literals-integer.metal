// Literals of integers: decimal, hex, octal and binary, with quotes between digits and the suffixes u and l.
#include <metal_stdlib>
using namespace metal;

// run k 0=long*7 -> 0=long[31 31 31 1000000 4294967295 -1 4]
kernel void k(device long *o) {
    o[0] = 0x1F;
    o[1] = 037;
    o[2] = 0b11111;
    o[3] = 1'000'000;
    o[4] = 0xffffffffu;
    o[5] = 0xffffffffffffffffUL;
    o[6] = sizeof(1) == 4 && sizeof(1l) == 8 && sizeof(1u) == 4 ? sizeof(2147483647) : 0;
}
