// A function that ray tracing calls.
// refused: intersection
#include <metal_stdlib>
using namespace metal;

using namespace raytracing;
[[intersection(bounding_box)]] bool f(float3 o [[origin]]) { return o.x > 0; }
