// Structs with initial values, nested, and unions, whose members share their memory.
#include <metal_stdlib>
using namespace metal;

struct Inner {
    int a = 4;
    int b = 5;
};
struct Outer {
    Inner in;
    float f = 1.5f;
};
union Word {
    uint u;
    float f;
};
// run k 0=int*5 -> 0=int[4 5 3 0x3f800000 8]
kernel void k(device int *o) {
    Outer x;
    o[0] = x.in.a;
    o[1] = x.in.b;
    o[2] = int(x.f * 2);
    Word w;
    w.f = 1;
    o[3] = w.u;
    o[4] = sizeof(Inner);
}
