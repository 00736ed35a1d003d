// Members of a number of bits.
// refused: bit-fields
#include <metal_stdlib>
using namespace metal;

struct S {
    uint low : 4;
    uint high : 28;
};
kernel void k(device S *s, device uint *o) { *o = s->low; }
