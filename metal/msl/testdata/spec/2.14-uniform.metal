// uniform<T> is a T that all threads have the same value of.
#include <metal_stdlib>
using namespace metal;

// run k threads=3 0=int[4] 1=int*3 -> 1=int[9 10 11]
kernel void k(constant int &n, device int *o, uint i [[thread_position_in_grid]]) {
    uniform<int> a = n;
    auto b = make_uniform(n + 1);
    uniform<int> c = a + b;
    o[i] = c + i;
}
