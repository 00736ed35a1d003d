// Products of matrices quantised in groups of 32 and a vector. Host code and claims: groups.go.

#include <metal_stdlib>
using namespace metal;

// lanes_of returns how many lanes a thread's simdgroup has: the last may have fewer than others.
inline uint lanes_of(uint group, uint width, uint threads) { return min(width, threads - group * width); }

// product_groups_int8 writes Σ_g scale_ig·Σ_l q_igl·x_gl for each of m rows of k groups of 32 integers of 8 bits: a simdgroup makes a row, each lane every
// so many groups, in four parts each.
//
// Error:    (32 + k + 8)·u·Σ|scale·q·x|.
// Launch:   as many simdgroups as rows or more, in threadgroups of any size in one dimension. Barriers: none.
kernel void product_groups_int8(device float* dst [[buffer(0)]],
                                device const char4* q [[buffer(1)]],
                                device const float* scale [[buffer(2)]],
                                device const float4* x [[buffer(3)]],
                                constant uint& m [[buffer(4)]],
                                constant uint& k [[buffer(5)]],
                                uint at [[threadgroup_position_in_grid]],
                                uint threads [[threads_per_threadgroup]],
                                uint lane [[thread_index_in_simdgroup]],
                                uint width [[threads_per_simdgroup]],
                                uint group [[simdgroup_index_in_threadgroup]],
                                uint groups [[simdgroups_per_threadgroup]])
{
    uint row = at * groups + group;
    if (row >= m) {
        return;
    }
    float s = 0.0f;
    for (uint g = lane; g < k; g += lanes_of(group, width, threads)) {
        float4 part = float4(0.0f);
        for (uint i = 0; i < 8; i++) {
            part += float4(q[(row * k + g) * 8 + i]) * x[g * 8 + i];
        }
        s += scale[row * k + g] * (part.x + part.y + part.z + part.w);
    }
    s = simd_sum(s);
    if (lane == 0) {
        dst[row] = s;
    }
}

// product_groups_int4 is product_groups_int8 for numbers of 4 bits less 8: byte h of a group's 16 has number h in its lower half, and number h+16 in the other.
//
// Error:    as of product_groups_int8.
// Launch:   as of product_groups_int8. Barriers: none.
kernel void product_groups_int4(device float* dst [[buffer(0)]],
                                device const uchar4* q [[buffer(1)]],
                                device const float* scale [[buffer(2)]],
                                device const float4* x [[buffer(3)]],
                                constant uint& m [[buffer(4)]],
                                constant uint& k [[buffer(5)]],
                                uint at [[threadgroup_position_in_grid]],
                                uint threads [[threads_per_threadgroup]],
                                uint lane [[thread_index_in_simdgroup]],
                                uint width [[threads_per_simdgroup]],
                                uint group [[simdgroup_index_in_threadgroup]],
                                uint groups [[simdgroups_per_threadgroup]])
{
    uint row = at * groups + group;
    if (row >= m) {
        return;
    }
    float s = 0.0f;
    for (uint g = lane; g < k; g += lanes_of(group, width, threads)) {
        float4 part = float4(0.0f);
        for (uint i = 0; i < 4; i++) {
            int4 both = int4(q[(row * k + g) * 4 + i]);
            part += float4((both & 15) - 8) * x[g * 8 + i];
            part += float4((both >> 4) - 8) * x[g * 8 + 4 + i];
        }
        s += scale[row * k + g] * (part.x + part.y + part.z + part.w);
    }
    s = simd_sum(s);
    if (lane == 0) {
        dst[row] = s;
    }
}
