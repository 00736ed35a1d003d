// A vector of one type does not become one of another without a cast.
// refused: int4
#include <metal_stdlib>
using namespace metal;

kernel void k(device const float4 *x, device int4 *o) {
    int4 v = *x;
    *o = v;
}
