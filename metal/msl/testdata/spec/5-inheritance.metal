// A class with a base.
#include <metal_stdlib>
using namespace metal;

struct Base {
    int a;
    int both() const { return a * 10; }
};
struct Derived : Base {
    int b;
    int both() const { return Base::both() + b; }
};
// run k 0=int*2 -> 0=int[34 30]
kernel void k(device int *o) {
    Derived d;
    d.a = 3;
    d.b = 4;
    o[0] = d.both();
    thread Base &b = d;
    o[1] = b.both();
}
