// Derivatives are of fragment functions.
// refused: fragment
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *x) { *x = dfdx(*x); }
