// atomic_int, atomic_uint and atomic_bool, and atomic<T>, are as large as what they hold.
#include <metal_stdlib>
using namespace metal;

static_assert(is_same_v<atomic_int, atomic<int>> && is_same_v<atomic_uint, atomic<uint>>, "names");
// run k threads=5 0=int[10] 1=uint[0] 2=int*2 -> 0=int[15] 1=uint[10] 2=int[4 4]
kernel void k(device atomic_int *a, device atomic<uint> *b, device int *o, uint i [[thread_position_in_grid]]) {
    atomic_fetch_add_explicit(a, 1, memory_order_relaxed);
    atomic_fetch_add_explicit(b, i, memory_order_relaxed);
    if (i == 0) {
        o[0] = sizeof(atomic_int);
        o[1] = sizeof(atomic<uint>);
    }
}
