// void is a type without values: a result that there is none of, and a pointer to anything.
#include <metal_stdlib>
using namespace metal;

void set(device int *p, int x) {
    *p = x;
    return;
}
// run k 0=int*2 -> 0=int[4 5]
kernel void k(device void *p) {
    set((device int *)p, 4);
    (void)set(static_cast<device int *>(p) + 1, 5);
}
