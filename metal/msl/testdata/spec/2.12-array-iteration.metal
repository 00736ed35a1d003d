// begin, end and empty of array, and for over it.
#include <metal_stdlib>
using namespace metal;

// run k 0=int*3 -> 0=int[6 0 24]
kernel void k(device int *o) {
    array<int, 3> a = {1, 2, 3};
    int s = 0;
    for (int x : a) s += x;
    o[0] = s;
    o[1] = a.empty();
    for (thread int &x : a) x *= 3;
    for (thread int *p = a.begin(); p != a.end(); ++p) s += *p;
    o[2] = s;
}
