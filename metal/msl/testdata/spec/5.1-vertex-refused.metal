// A function of the vertex stage.
// refused: vertex
#include <metal_stdlib>
using namespace metal;

vertex float4 v(uint i [[vertex_id]]) { return float4(i); }
