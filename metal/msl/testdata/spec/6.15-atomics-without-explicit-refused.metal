// The atomic functions of C++ without an order.
// refused: _explicit
#include <metal_stdlib>
using namespace metal;

kernel void k(device atomic_int *a) { atomic_fetch_add(a, 1); }
