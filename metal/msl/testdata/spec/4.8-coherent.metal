// coherent(device) makes writes visible to all threads of the device.
#include <metal_stdlib>
using namespace metal;
// run k threads=4 0=int[1 2 3 4] -> 0=int[2 4 6 8]
kernel void k(coherent(device) device int *x, uint i [[thread_position_in_grid]]) {
    x[i] += x[i];
    atomic_thread_fence(mem_flags::mem_device, memory_order_seq_cst, thread_scope_device);
}
