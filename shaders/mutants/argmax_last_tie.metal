// Of equal numbers the last is taken.

#include <metal_stdlib>
using namespace metal;

kernel void argmax(device int* dst [[buffer(0)]],
                   device const float* x [[buffer(1)]],
                   constant uint& n [[buffer(2)]],
                   threadgroup float* part [[threadgroup(0)]],
                   threadgroup uint* place [[threadgroup(1)]],
                   uint row [[threadgroup_position_in_grid]],
                   uint j [[thread_position_in_threadgroup]],
                   uint threads [[threads_per_threadgroup]])
{
    device const float* from = x + row * n;
    float m = -INFINITY;
    uint at = n;
    for (uint i = j; i < n; i += threads) {
        float v = from[i];
        if (v >= m) {
            m = v;
            at = i;
        }
    }
    part[j] = m;
    place[j] = at;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (j == 0) {
        for (uint t = 1; t < threads; t++) {
            if (place[t] < n && (at == n || part[t] > m || (part[t] == m && place[t] > at))) {
                m = part[t];
                at = place[t];
            }
        }
        dst[row] = at < n ? int(at) : 0;
    }
}
