// Function constants of vectors: an array of the host's.
#include <metal_stdlib>
using namespace metal;

constant int2 at [[function_constant(0)]];
constant half3 weights [[function_constant(1)]];
constant bool given = is_function_constant_defined(at);
constant int sum = given ? at.x + at[1] : 7;
constant int2 twice = at * 2;
// run k 0=int*1 -> 0=int[7]
// run k #0=int:4,5 #weights=half:1,2,0.5 0=int*1 -> 0=int[4516]
kernel void k(device int *o) {
    *o = sum;
    if (given) *o = 1000 * at.x + 100 * at.y + int(weights.z * 8.0h) + int(weights.y) + twice.y;
}
