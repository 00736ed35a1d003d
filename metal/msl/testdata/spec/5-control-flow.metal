// if with an initial value is of C++17; for, while, do, switch, break and continue are there.
#include <metal_stdlib>
using namespace metal;

// run k 0=int*4 -> 0=int[12 3 10 2]
kernel void k(device int *o) {
    int s = 0;
    for (int i = 0; i < 10; i++) {
        if (i % 2) continue;
        if (i > 6) break;
        s += i;
    }
    o[0] = s;
    int n = 0;
    while (s > 1) {
        s /= 2;
        n++;
    }
    o[1] = n;
    do n += 7;
    while (n < 10);
    o[2] = n;
    switch (n) {
        case 1: o[3] = 1; break;
        case 10: n = 2;
        default: o[3] = n;
    }
}
