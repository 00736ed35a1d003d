// What was asked for when the kernel was dispatched.
#include <metal_stdlib>
using namespace metal;

// run k groups=2 threads=8 width=4 0=uint*2 -> 0=uint[228 228]
kernel void k(device uint *o, uint n [[dispatch_threads_per_threadgroup]], uint s [[dispatch_simdgroups_per_threadgroup]],
              uint q [[dispatch_quadgroups_per_threadgroup]], uint g [[threadgroup_position_in_grid]], uint i [[thread_index_in_threadgroup]]) {
    if (i == 0) o[g] = 100 * s + 10 * q + n;
}
