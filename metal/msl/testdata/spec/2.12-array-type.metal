// array<T, N> is copied as a whole; it has size(), data(), operator[], and compares.
#include <metal_stdlib>
using namespace metal;

// run k 0=int*7 -> 0=int[3 9 1 0 16 1 3]
kernel void k(device int *o) {
    array<int, 3> a = {1, 2, 3};
    array<int, 3> b = a;
    b[1] = 9;
    o[0] = b.size();
    o[1] = b[1];
    o[2] = a[0] == b[0];
    o[3] = a[1] == b[1];
    array<float, 4> c{};
    o[4] = sizeof(c);
    o[5] = c[3] == 0;
    o[6] = *(a.data() + 2);
}
