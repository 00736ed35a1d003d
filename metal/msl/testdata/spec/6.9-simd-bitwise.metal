// and, or, xor over a simdgroup.
#include <metal_stdlib>
using namespace metal;

// run k threads=4 width=4 0=uint[7 13 5 15] 1=uint*4 -> 1=uint[5 15 0 1]
kernel void k(device const uint *x, device uint *o, uint i [[thread_position_in_grid]]) {
    uint a = simd_and(x[i]), b = simd_or(x[i]), c = simd_xor(x[i]);
    ushort d = simd_and(ushort(x[i] & 3));
    o[i] = i == 0 ? a : i == 1 ? b : i == 2 ? c : d;
}
