// A sampler says how textures are read. Constant ones may be built in any order of their words, and copied.
// run k threads=2 0=int[0 0] -> 0=int[1 2]
#include <metal_stdlib>
using namespace metal;
constexpr sampler nearest(coord::pixel, address::clamp_to_zero, filter::nearest);
constexpr sampler smooth(filter::linear, coord::normalized, s_address::repeat, t_address::mirrored_repeat);
kernel void k(device int *o, uint i [[thread_position_in_grid]]) {
  const sampler mine = i == 0 ? nearest : smooth;
  (void)mine;
  o[i] = int(i) + 1;
}
