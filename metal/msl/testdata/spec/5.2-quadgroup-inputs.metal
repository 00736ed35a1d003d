// Four threads are a quadgroup.
#include <metal_stdlib>
using namespace metal;

// run k threads=8 0=uint*8 -> 0=uint[200 201 202 203 210 211 212 213]
kernel void k(device uint *o, ushort lane [[thread_index_in_quadgroup]], ushort q [[quadgroup_index_in_threadgroup]],
              ushort n [[quadgroups_per_threadgroup]], uint i [[thread_position_in_grid]]) {
    o[i] = 100 * n + 10 * q + lane;
}
