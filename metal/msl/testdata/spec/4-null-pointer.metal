// nullptr and comparisons with it.
#include <metal_stdlib>
using namespace metal;

int get(device const int *p) { return p ? *p : -1; }
// run k 0=int[4] 1=int*3 -> 1=int[4 -1 1]
kernel void k(device const int *x, device int *o) {
    o[0] = get(x);
    o[1] = get(nullptr);
    device int *p = nullptr;
    o[2] = p == nullptr && o != nullptr;
}
