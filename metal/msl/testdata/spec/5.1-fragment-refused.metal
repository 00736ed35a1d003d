// A function of the fragment stage.
// refused: fragment
#include <metal_stdlib>
using namespace metal;

fragment half4 f(float4 p [[position]]) { return half4(1); }
