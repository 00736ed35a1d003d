// Types are not asked for at run time.
// refused: dynamic_cast
#include <metal_stdlib>
using namespace metal;

struct A {
    int x;
};
kernel void k(device A *a, device int *o) { *o = dynamic_cast<device A *>(a)->x; }
