// A pointer that lies in thread memory and points into device memory, and an array of such pointers.
#include <metal_stdlib>
using namespace metal;

void next(thread device int *&p) { p++; }
// run k 0=int[1 2 3 4] 1=int*3 -> 1=int[2 3 4]
kernel void k(device int *x, device int *o) {
    device int *p = x;
    next(p);
    o[0] = *p;
    device int *rows[2] = {x + 2, x + 3};
    thread device int **q = rows;
    o[1] = **q;
    o[2] = *q[1];
}
