// alignas makes an alignment greater, of a class, a member and a variable.
#include <metal_stdlib>
using namespace metal;

struct alignas(16) A {
    float x;
};
struct B {
    char c;
    alignas(8) int i;
};
// run k 0=int*5 -> 0=int[16 16 16 8 1]
kernel void k(device int *o) {
    alignas(16) thread float v[3] = {1, 2, 3};
    o[0] = sizeof(A);
    o[1] = alignof(A);
    o[2] = sizeof(B);
    o[3] = alignof(B);
    o[4] = int(v[0]);
}
