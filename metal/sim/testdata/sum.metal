// Threadgroup tree sum: out[g] = the sum of x[i] over threadgroup g, by halves.
#include <metal_stdlib>
using namespace metal;

// Threadgroup size: a power of two, at most 256. Barriers: one after the load, and one after each of log2(size) levels.
kernel void tree_sum(device const float *x [[buffer(0)]],
                     device float *out [[buffer(1)]],
                     constant uint &n [[buffer(2)]],
                     uint gid [[thread_position_in_grid]],
                     uint tid [[thread_index_in_threadgroup]],
                     uint group [[threadgroup_position_in_grid]],
                     uint size [[threads_per_threadgroup]]) {
    threadgroup float partial[256];
    partial[tid] = gid < n ? x[gid] : 0.0f;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint s = size / 2; s > 0; s /= 2) {
        if (tid < s) {
            partial[tid] += partial[tid + s];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (tid == 0) {
        out[group] = partial[0];
    }
}
