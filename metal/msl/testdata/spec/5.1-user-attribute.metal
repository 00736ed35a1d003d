// Attributes that the program makes up, [[user(name)]], on members of structs that are passed through.
#include <metal_stdlib>
using namespace metal;

struct Pair {
    int a [[user(first)]];
    int b [[user(second)]];
};
// run k 0=int[5 6] 1=int*1 -> 1=int[11]
kernel void k(device const Pair *p, device int *o) { *o = p->a + p->b; }
