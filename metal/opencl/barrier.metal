// What drivers do to barriers in loops: with its optimiser PoCL 3.1 leaves out the body of the loop that halves.
#include <metal_stdlib>
using namespace metal;

// A threadgroup of W threads, of any W. Thread i writes the sum of in[0..i] of its threadgroup to out and, by halving, W a power of two,
// the threadgroup's sum to sums.
kernel void probe_barriers(device const uint* in [[buffer(0)]], device uint* out [[buffer(1)]], device uint* sums [[buffer(2)]],
                           threadgroup uint* t [[threadgroup(0)]],
                           uint gid [[thread_position_in_grid]], uint lid [[thread_index_in_threadgroup]],
                           uint width [[threads_per_threadgroup]], uint group [[threadgroup_position_in_grid]])
{
    t[lid] = in[gid];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint r = 1; r < width; r *= 2) {
        uint v = lid >= r ? t[lid - r] : 0;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        t[lid] += v;
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    out[gid] = t[lid];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    t[lid] = in[gid];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint half_width = width / 2; half_width > 0; half_width /= 2) {
        if (lid < half_width) {
            t[lid] += t[lid + half_width];
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (lid == 0) {
        sums[group] = t[0];
    }
}
