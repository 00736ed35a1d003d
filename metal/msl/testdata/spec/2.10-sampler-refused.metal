// A sampler says how textures are read.
// refused: samplers
#include <metal_stdlib>
using namespace metal;
kernel void k(sampler s [[sampler(0)]], device float *o) { *o = 1; }
