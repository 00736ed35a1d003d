// The number of a thread in its threadgroup: x first, then y, then z.
#include <metal_stdlib>
using namespace metal;

// run k threads=2,2,2 0=uint*8 -> 0=uint[0 1 10 11 100 101 110 111]
kernel void k(device uint *o, ushort i [[thread_index_in_threadgroup]], ushort3 t [[thread_position_in_threadgroup]]) {
    o[i] = t.x + 10 * t.y + 100 * t.z;
}
