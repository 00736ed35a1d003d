// turned writes each row of 128 numbers from its last to its first, by four simdgroups in a row: with 256 threads it is out of bounds, and with 64, as 8 by 8 of them,
// it reads what nobody wrote.
#include <metal_stdlib>
using namespace metal;

kernel void turned(device const float* x [[buffer(0)]],
                   device float* dst [[buffer(1)]],
                   uint id [[thread_index_in_threadgroup]],
                   uint at [[threadgroup_position_in_grid]],
                   uint group [[simdgroup_index_in_threadgroup]],
                   uint lane [[thread_index_in_simdgroup]])
{
    threadgroup float row[4][32];
    row[group][lane] = x[128 * at + id];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    dst[128 * at + id] = row[3 - group][31 - lane];
}
