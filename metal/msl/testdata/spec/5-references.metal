// References to variables, components of arrays and members.
#include <metal_stdlib>
using namespace metal;

struct S {
    int v[2];
};
void set(thread int &x, int y) { x = y; }
// run k 0=int*3 -> 0=int[7 8 9]
kernel void k(device int *o) {
    S s = {{0, 0}};
    set(s.v[0], 7);
    thread int &r = s.v[1];
    r = 8;
    o[0] = s.v[0];
    o[1] = s.v[1];
    device int &last = o[2];
    last = 9;
}
