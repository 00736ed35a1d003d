// Functions differ by the address space of their parameters.
#include <metal_stdlib>
using namespace metal;

int where(device int *) { return 1; }
int where(constant int *) { return 2; }
int where(threadgroup int *) { return 3; }
int where(thread int *) { return 4; }
// run k 0=int*4 1=int*1 -> 0=int[1 2 3 4]
kernel void k(device int *o, constant int *c) {
    threadgroup int t[1];
    int v = 0;
    o[0] = where(o);
    o[1] = where(c);
    o[2] = where(t);
    o[3] = where(&v);
}
