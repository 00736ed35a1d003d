// An argument that is there only if a function constant says so.
#include <metal_stdlib>
using namespace metal;

constant bool has_bias [[function_constant(0)]];
constant bool no_bias = !has_bias;
// run k #0=bool:1 0=int[1] 1=int[5] -> 0=int[6]
// run k #0=bool:0 0=int[1] -> 0=int[2]
kernel void k(device int *x [[buffer(0)]], device const int *bias [[buffer(1), function_constant(has_bias)]]) {
    if (has_bias) *x += *bias;
    if (no_bias) *x += 1;
}
