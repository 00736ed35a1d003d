// Threadgroups, simdgroups and atomics.
#include <metal_stdlib>
#include <metal_atomic>
using namespace metal;

// The tree in threadgroup memory.
// run tree groups=2 threads=8 0=float[1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16] 1=float*2 -> 1=float[36 100]
kernel void tree(device const float *in, device float *out, uint tid [[thread_position_in_threadgroup]],
                 uint gid [[thread_position_in_grid]], uint g [[threadgroup_position_in_grid]], uint n [[threads_per_threadgroup]]) {
    threadgroup float shared[8];
    shared[tid] = in[gid];
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint s = n / 2; s > 0; s >>= 1) {
        if (tid < s) shared[tid] += shared[tid + s];
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    if (tid == 0) out[g] = shared[0];
}

// Threadgroup memory as an argument.
// run dynamic groups=1 threads=4 0=uint*4 t0=16 -> 0=uint[3 2 1 0]
kernel void dynamic(device uint *out [[buffer(0)]], threadgroup uint *tmp [[threadgroup(0)]], uint t [[thread_index_in_threadgroup]]) {
    tmp[t] = t;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    out[t] = tmp[3 - t];
}

// Two levels: simd_sum, then the simdgroups' sums.
// run twolevel groups=1 threads=8 width=4 0=int[1 2 3 4 5 6 7 8] 1=int*1 -> 1=int[36]
kernel void twolevel(device const int *in, device int *out, uint tid [[thread_index_in_threadgroup]],
                     uint lane [[thread_index_in_simdgroup]], uint simd [[simdgroup_index_in_threadgroup]],
                     uint simds [[simdgroups_per_threadgroup]]) {
    threadgroup int part[32];
    int s = simd_sum(in[tid]);
    if (lane == 0) part[simd] = s;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (simd == 0) {
        s = lane < simds ? part[lane] : 0;
        s = simd_sum(s);
        if (lane == 0) out[0] = s;
    }
}

// run shuffles groups=1 threads=8 width=8 0=int*32 -> 0=int[1 0 3 2 5 4 7 6 0 0 1 2 3 4 5 6 7 7 7 7 7 7 7 7 0 1 3 6 10 15 21 28]
kernel void shuffles(device int *out, ushort lane [[thread_index_in_simdgroup]]) {
    int v = lane;
    out[lane] = simd_shuffle_xor(v, 1);
    out[8 + lane] = simd_shuffle_up(v, 1);
    out[16 + lane] = simd_broadcast(v, 7);
    out[24 + lane] = simd_prefix_inclusive_sum(v);
}

// run votes groups=1 threads=8 width=8 0=uint*4 -> 0=uint[0x55 0 1 8]
kernel void votes(device uint *out, ushort lane [[thread_index_in_simdgroup]]) {
    simd_vote v = simd_ballot(lane % 2 == 0);
    ulong m = (ulong)v;
    bool all = simd_all(lane < 7), any = simd_any(lane == 3);
    if (simd_is_first()) {
        out[0] = uint(m);
        out[1] = all;
        out[2] = any;
        out[3] = popcount(uint((ulong)simd_active_threads_mask())) + 7;
    }
}

// run counts groups=2 threads=8 0=uint*2 1=int[100] 2=float*1 -> 0=uint[16 0x80] 1=int[0] 2=float[8]
kernel void counts(device atomic_uint *c, device atomic_int *least, device atomic_float *f, uint gid [[thread_position_in_grid]],
                   uint tid [[thread_position_in_threadgroup]]) {
    atomic_fetch_add_explicit(&c[0], 1u, memory_order_relaxed);
    atomic_fetch_or_explicit(c + 1, tid == 7 ? 0x80u : 0u, memory_order_relaxed);
    atomic_fetch_min_explicit(least, int(gid), memory_order_relaxed);
    atomic_fetch_add_explicit(f, 0.5f, memory_order_relaxed);
}

// A compare-and-exchange loop: the maximum of floats by their bits.
void atomic_max_float(volatile device atomic_uint *p, float x) {
    uint old = atomic_load_explicit(p, memory_order_relaxed);
    while (as_type<float>(old) < x) {
        if (atomic_compare_exchange_weak_explicit(p, &old, as_type<uint>(x), memory_order_relaxed, memory_order_relaxed)) break;
    }
}
// run casmax groups=1 threads=4 0=float[1] 1=float[0.5 3 2 2.5] -> 0=float[3]
kernel void casmax(device atomic_uint *m, device const float *x, uint i [[thread_position_in_grid]]) { atomic_max_float(m, x[i]); }

// Atomics in threadgroup memory; a struct that holds one.
struct Shared {
    atomic_uint hits;
    uint limit;
};
// run hist groups=1 threads=6 0=uint[0 1 1 2 1 0] 1=uint*4 -> 1=uint[2 3 1 6]
kernel void hist(device const uint *x, device uint *out, uint t [[thread_position_in_threadgroup]]) {
    threadgroup atomic_uint bins[3];
    threadgroup Shared s;
    if (t < 3) atomic_store_explicit(&bins[t], 0, memory_order_relaxed);
    if (t == 0) {
        atomic_store_explicit(&s.hits, 0u, memory_order_relaxed);
        s.limit = 3;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    atomic_fetch_add_explicit(&bins[x[t]], 1u, memory_order_relaxed);
    atomic_fetch_add_explicit(&s.hits, 1u, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t < s.limit) out[t] = atomic_load_explicit(&bins[t], memory_order_relaxed);
    if (t == 0) out[3] = atomic_load_explicit(&s.hits, memory_order_relaxed);
}
