// Function constants of other types, and constants that are made of them.
#include <metal_stdlib>
using namespace metal;

constant uint u [[function_constant(0)]];
constant ushort s [[function_constant(1)]];
constant half h [[function_constant(2)]];
constant uint both = u * 10 + s;
// run k #0=uint:4 #1=ushort:2 #2=half:1.5 0=float*2 -> 0=float[42 3]
kernel void k(device float *o) {
    o[0] = both;
    o[1] = h * h + 0.75h;
}
