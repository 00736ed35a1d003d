// Of two types of integers the wider one wins, and of one width the unsigned one; narrow ones are int.
#include <metal_stdlib>
using namespace metal;

// run k 0=int*5 -> 0=int[1 300 0 8 4]
kernel void k(device int *o) {
    int a = -1;
    uint b = 1;
    o[0] = a > b;
    uchar c = 200, d = 100;
    o[1] = c + d;
    long e = -1;
    o[2] = e > b;
    o[3] = sizeof(b + e);
    o[4] = sizeof(c + d);
}
