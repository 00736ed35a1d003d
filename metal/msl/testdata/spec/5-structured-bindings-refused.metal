// Names for the parts of a value, of C++17.
// refused: structured bindings
#include <metal_stdlib>
using namespace metal;

kernel void k(device int *o) {
    int a[2] = {1, 2};
    auto [x, y] = a;
    *o = x + y;
}
