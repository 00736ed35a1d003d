// There are no virtual functions.
// refused: virtual
#include <metal_stdlib>
using namespace metal;

struct A {
    virtual int f() { return 1; }
};
kernel void k(device int *o) {
    A a;
    *o = a.f();
}
