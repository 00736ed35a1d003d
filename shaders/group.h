// Reductions over the threads of a threadgroup, for kernels of rows. Include it after <metal_stdlib>.

#ifndef GAMMA_GROUP_H
#define GAMMA_GROUP_H

// group_max returns the greatest of v over a threadgroup's threads: by simdgroup, and then of those. part may be used again after it.
//
// Special:  NaN is passed over.
// Launch:   4 bytes of threadgroup memory a simdgroup, at part. Barriers: 2.
inline float group_max(float v, threadgroup float* part, uint lane, uint group, uint groups)
{
    float m = simd_max(v);
    if (lane == 0) {
        part[group] = m;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    m = part[0];
    for (uint g = 1; g < groups; g++) {
        m = fmax(m, part[g]);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return m;
}

// group_sum returns the sum of v over a threadgroup's threads: by simdgroup, and those of simdgroups from the left. part may be used again after it.
//
// Launch:   as group_max.
inline float group_sum(float v, threadgroup float* part, uint lane, uint group, uint groups)
{
    float s = simd_sum(v);
    if (lane == 0) {
        part[group] = s;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    s = part[0];
    for (uint g = 1; g < groups; g++) {
        s += part[g];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    return s;
}

#endif
