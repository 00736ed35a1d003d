// A pass of a sort by digits. Host code and claim: radix.go.

#include <metal_stdlib>
using namespace metal;

// sort_digit writes the numbers of each row of n in the order of their last four bits, and equal ones as they were: threads count digits, the first adds up
// where those of each begin, and then threads put one number each, as many as there are threads at a time. A simdgroup finds by votes how many lanes before each
// have its digit.
//
// Launch:   a threadgroup a row, of any size in one dimension; 64 bytes of threadgroup memory a thread. Barriers: 3, and 4 for every t numbers, t threads.
kernel void sort_digit(device int* dst [[buffer(0)]],
                       device const int* x [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       threadgroup uint* counts [[threadgroup(0)]],
                       uint row [[threadgroup_position_in_grid]],
                       uint j [[thread_position_in_threadgroup]],
                       uint threads [[threads_per_threadgroup]],
                       uint lane [[thread_index_in_simdgroup]],
                       uint group [[simdgroup_index_in_threadgroup]],
                       uint groups [[simdgroups_per_threadgroup]])
{
    threadgroup atomic_uint histogram[16];
    threadgroup uint start[16];
    device const int* from = x + row * n;
    for (uint d = j; d < 16; d += threads) {
        atomic_store_explicit(&histogram[d], 0u, memory_order_relaxed);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint i = j; i < n; i += threads) {
        atomic_fetch_add_explicit(&histogram[from[i] & 15], 1u, memory_order_relaxed);
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (j == 0) {
        uint before = 0;
        for (uint d = 0; d < 16; d++) {
            start[d] = before;
            before += atomic_load_explicit(&histogram[d], memory_order_relaxed);
        }
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint base = 0; base < n; base += threads) {
        bool some = base + j < n;
        int key = some ? from[base + j] : 0;
        uint digit = uint(key & 15);
        ulong same = ulong(simd_ballot(some));
        for (uint bit = 0; bit < 4; bit++) {
            bool one = (digit >> bit & 1) != 0;
            ulong ones = ulong(simd_ballot(one));
            same &= one ? ones : ~ones;
        }
        uint rank = uint(popcount(same & ((1ul << lane) - 1)));
        for (uint i = j; i < 16 * groups; i += threads) {
            counts[i] = 0;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (some && rank == 0) {
            counts[16 * group + digit] = uint(popcount(same));
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        if (some) {
            uint place = start[digit] + rank;
            for (uint g = 0; g < group; g++) {
                place += counts[16 * g + digit];
            }
            dst[row * n + place] = key;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
        for (uint d = j; d < 16; d += threads) {
            for (uint g = 0; g < groups; g++) {
                start[d] += counts[16 * g + d];
            }
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
}
