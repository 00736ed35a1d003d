// A pointer into constant memory, of a buffer and of a constant of the program.
#include <metal_stdlib>
using namespace metal;

constant int numbers[3] = {10, 20, 30};
int at(constant int *p, int i) { return p[i]; }
// run k 0=int[7 8] 1=int*2 -> 1=int[28 17]
kernel void k(constant int *p, device int *o) {
    o[0] = at(numbers, 1) + at(p, 1);
    constant int *q = &numbers[0];
    o[1] = *q + *p;
}
