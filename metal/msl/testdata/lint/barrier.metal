#include <metal_stdlib>
using namespace metal;

kernel void totals(device const float* x [[buffer(0)]], device float* out [[buffer(1)]], uint gid [[thread_position_in_grid]],
                   uint lid [[thread_index_in_threadgroup]], uint group [[threadgroup_position_in_grid]],
                   uint groups [[threadgroups_per_grid]])
{
    if (lid == 0) {
        out[group] = x[gid];
    }
    threadgroup_barrier(mem_flags::mem_device);  // want 5 barrier-scope threads of one threadgroup alone wait at this barrier, and line 15 then reads of out what other threadgroups write
    if (gid == 0) {
        float s = 0.0f;
        for (uint g = 0; g < groups; g++) {
            s += out[g];
        }
        out[0] = s;
    }
}

kernel void stages(device float* x [[buffer(0)]], constant uint& n [[buffer(1)]], uint i [[thread_position_in_grid]])
{
    for (uint span = 1; span < n; span *= 2) {
        float v = x[i] + x[i ^ span];
        threadgroup_barrier(mem_flags::mem_device); // want 9 barrier-scope line 24 then reads of x
        x[i] = v;
    }
}

// Nothing: a threadgroup's own part, a thread's own element, threadgroup memory, a buffer that is not written, reads before writes.
kernel void own(device float* x [[buffer(0)]], device float* y [[buffer(1)]], device const float* z [[buffer(2)]], threadgroup float* t [[threadgroup(0)]],
                uint gid [[thread_position_in_grid]], uint lid [[thread_index_in_threadgroup]],
                uint group [[threadgroup_position_in_grid]], uint width [[threads_per_threadgroup]])
{
    float first = y[0];
    x[group * width + lid] = z[0];
    t[lid] = z[1];
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    float v = x[group * width + (width - 1 - lid)] + t[0] + z[gid + 1];
    y[gid] = v + first;
    threadgroup_barrier(mem_flags::mem_device);
    x[gid] = y[gid] + v;
}

// Nothing: a barrier that does not speak of device memory is there for something else.
kernel void shared_only(device float* x [[buffer(0)]], threadgroup float* t [[threadgroup(0)]], uint lid [[thread_index_in_threadgroup]],
                        uint group [[threadgroup_position_in_grid]])
{
    t[lid] = x[group];
    x[group] = t[lid];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    x[group + 1] = t[lid ^ 1] + x[0];
}
