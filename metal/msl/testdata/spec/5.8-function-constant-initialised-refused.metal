// A function constant has no value in the program.
// refused: initialiser
#include <metal_stdlib>
using namespace metal;

constant int n [[function_constant(0)]] = 3;
kernel void k(device int *o) { *o = n; }
