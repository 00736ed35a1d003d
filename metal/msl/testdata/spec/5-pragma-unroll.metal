// Hints on loops change nothing.
#include <metal_stdlib>
using namespace metal;

// run k 0=int*1 -> 0=int[28]
kernel void k(device int *o) {
    int s = 0;
#pragma unroll
    for (int i = 0; i < 4; i++) s += i;
#pragma unroll(4)
    for (int i = 0; i < 4; i++) s += i;
    _Pragma("clang loop unroll(full)")
    for (int i = 0; i < 4; i++) s += i;
#pragma clang loop unroll_count(2)
    for (int i = 4; i < 5; i++) s += i;
    *o = s + 6;
}
