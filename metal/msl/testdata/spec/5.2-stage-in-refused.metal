// Attributes of other stages.
// refused: stage_in
#include <metal_stdlib>
using namespace metal;

struct In {
    float4 p [[attribute(0)]];
};
kernel void k(In in [[stage_in]], device float *o [[buffer(0)]]) { *o = in.p.x; }
