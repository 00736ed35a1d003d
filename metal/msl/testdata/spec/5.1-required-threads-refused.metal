// required_threads_per_threadgroup of Metal 4.
// refused: required_threads_per_threadgroup
#include <metal_stdlib>
using namespace metal;

[[kernel, required_threads_per_threadgroup(8, 1, 1)]] void k(device int *x) { *x = 1; }
