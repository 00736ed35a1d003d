// Memory of a thread: variables, arrays, pointers and references to them.
#include <metal_stdlib>
using namespace metal;

void add(thread int &sum, thread const int *p, int n) {
    for (int i = 0; i < n; i++) sum += p[i];
}
// run k threads=3 0=int*3 -> 0=int[3 6 9]
kernel void k(device int *o, uint i [[thread_position_in_grid]]) {
    thread int v[3];
    for (thread int &x : v) x = i + 1;
    int sum = 0;
    add(sum, v, 3);
    o[i] = sum;
}
