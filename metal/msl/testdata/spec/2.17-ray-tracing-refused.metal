// Rays and what they hit.
// refused: ray tracing
#include <metal_stdlib>
using namespace metal;

using namespace raytracing;
kernel void k(primitive_acceleration_structure a [[buffer(1)]], device float *o [[buffer(0)]]) {
    ray r;
    o[0] = r.max_distance;
}
