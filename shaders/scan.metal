// Sums of the first elements of rows, and places of the greatest. Host code and claims: scan.go.

#include <metal_stdlib>
using namespace metal;

// cumsum writes x_0 + … + x_i of each row of n numbers: threads scan as many numbers as there are threads, in steps of 1, 2, 4, … places, and carry the
// last sum on.
//
// Error:    ((1+v)^h - 1)·Σ|x_j| up to i, h = ⌈log2 t⌉ + ⌈i/t⌉ for t threads, v = u/(1+u) [Gamma T2].
// Special:  as in IEEE 754.
// Launch:   a threadgroup a row, of any size in one dimension; 4 bytes of threadgroup memory a thread. Barriers: 2⌈log2 t⌉ + 2 for every t numbers.
kernel void cumsum(device float* dst [[buffer(0)]],
                   device const float* x [[buffer(1)]],
                   constant uint& n [[buffer(2)]],
                   threadgroup float* part [[threadgroup(0)]],
                   uint row [[threadgroup_position_in_grid]],
                   uint j [[thread_position_in_threadgroup]],
                   uint threads [[threads_per_threadgroup]])
{
    device const float* from = x + row * n;
    device float* to = dst + row * n;
    float carry = -0.0f; // to which any number adds up to itself
    for (uint start = 0; start < n; start += threads) {
        float s = start + j < n ? from[start + j] : -0.0f;
        part[j] = s;
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint step = 1; step < threads; step *= 2) {
            float before = j >= step ? part[j - step] : -0.0f;
            threadgroup_barrier(mem_flags::mem_threadgroup);
            s = before + s;
            part[j] = s;
            threadgroup_barrier(mem_flags::mem_threadgroup);
        }
        if (start + j < n) {
            to[start + j] = carry + s;
        }
        carry = carry + part[threads - 1];
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
}

// argmax writes the index of the greatest of each row of n numbers, the first of several: each thread takes the greatest of its own, and the first thread the
// greatest of those.
//
// Domain:   n > 0.
// Special:  NaN is passed over; the index is 0 if there is nothing else.
// Launch:   a threadgroup a row, of any size in one dimension; 8 bytes of threadgroup memory a thread. Barriers: 1.
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
        if (v > m || (at == n && v == m)) {
            m = v;
            at = i;
        }
    }
    part[j] = m;
    place[j] = at;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (j == 0) {
        for (uint t = 1; t < threads; t++) {
            if (place[t] < n && (at == n || part[t] > m || (part[t] == m && place[t] < at))) {
                m = part[t];
                at = place[t];
            }
        }
        dst[row] = at < n ? int(at) : 0;
    }
}
