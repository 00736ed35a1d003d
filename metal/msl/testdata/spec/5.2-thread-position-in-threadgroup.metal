// Position in the threadgroup, its size and the thread's number in it.
#include <metal_stdlib>
using namespace metal;

// run k groups=2 threads=2,2 0=uint*8 -> 0=uint[220 221 222 223 220 221 222 223]
kernel void k(device uint *o, uint2 t [[thread_position_in_threadgroup]], uint3 n [[threads_per_threadgroup]], uint g [[threadgroup_position_in_grid]],
              uint i [[thread_index_in_threadgroup]]) {
    o[4 * g + i] = 100 * n.x + 10 * n.y + (t.x + 2 * t.y) * n.z;
}
