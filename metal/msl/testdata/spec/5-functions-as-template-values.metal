// A function that is given to a template is known when compiling.
#include <metal_stdlib>
using namespace metal;

int twice(int x) { return 2 * x; }
int thrice(int x) { return 3 * x; }
template <int (*F)(int)> int again(int x) { return F(F(x)); }
// run k 0=int[2 2] -> 0=int[8 18]
kernel void k(device int *x) {
    x[0] = again<twice>(x[0]);
    x[1] = again<thrice>(x[1]);
}
