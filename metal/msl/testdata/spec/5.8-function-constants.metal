// Function constants of scalar types, and whether they are given.
#include <metal_stdlib>
using namespace metal;

constant int n [[function_constant(0)]];
constant float scale [[function_constant(1)]];
constant bool extra [[function_constant(2)]];
constant float used = is_function_constant_defined(scale) ? scale : 1.5f;
// run k #0=int:3 0=float*1 -> 0=float[4.5]
// run k #n=int:3 #scale=float:2 #extra=bool:1 0=float*1 -> 0=float[16]
kernel void k(device float *o) {
    float r = n * used;
    if (is_function_constant_defined(extra) && extra) r += 10;
    *o = r;
}
