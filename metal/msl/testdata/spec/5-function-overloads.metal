// Overloads by type and number of arguments.
#include <metal_stdlib>
using namespace metal;

int kind(int) { return 1; }
int kind(uint) { return 2; }
int kind(float) { return 3; }
int kind(half) { return 4; }
int kind(int2) { return 5; }
int kind(int, int) { return 6; }
int kind(uchar) { return 7; }
// run k 0=int*7 -> 0=int[1 2 3 4 5 6 7]
kernel void k(device int *o) {
    o[0] = kind(1);
    o[1] = kind(1u);
    o[2] = kind(1.0);
    o[3] = kind(1.0h);
    o[4] = kind(int2(1));
    o[5] = kind(1, 1);
    o[6] = kind(uchar(1));
}
