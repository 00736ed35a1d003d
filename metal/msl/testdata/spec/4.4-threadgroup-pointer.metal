// Pointers and references into threadgroup memory, of structs and of atomics.
#include <metal_stdlib>
using namespace metal;

struct Shared {
    atomic_int count;
    int values[4];
};
int take(threadgroup Shared *s, int x) {
    int at = atomic_fetch_add_explicit(&s->count, 1, memory_order_relaxed);
    s->values[at] = x;
    return at;
}
// run k threads=4 0=int[3 1 4 5] 1=int*2 -> 1=int[13 4]
kernel void k(device const int *x, device int *o, uint i [[thread_position_in_threadgroup]]) {
    threadgroup Shared s;
    if (i == 0) atomic_store_explicit(&s.count, 0, memory_order_relaxed);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    take(&s, x[i]);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (i != 0) return;
    threadgroup int *p = s.values;
    o[0] = p[0] + p[1] + p[2] + p[3];
    o[1] = atomic_load_explicit(&s.count, memory_order_relaxed);
}
