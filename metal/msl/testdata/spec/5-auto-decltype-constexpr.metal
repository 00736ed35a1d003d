// auto, decltype, constexpr functions, static_assert.
#include <metal_stdlib>
using namespace metal;

constexpr int triangle(int n) { return n * (n + 1) / 2; }
static_assert(triangle(4) == 10, "triangle");
// run k 0=int*3 -> 0=int[10 4 6]
kernel void k(device int *o) {
    int v[triangle(4)];
    auto n = sizeof(v) / sizeof(int);
    decltype(n) m = 4;
    o[0] = n;
    o[1] = m;
    constexpr auto t = triangle(3);
    o[2] = t;
}
