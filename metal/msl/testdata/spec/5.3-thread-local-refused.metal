// There are no variables of threads outside functions.
// refused: thread_local
#include <metal_stdlib>
using namespace metal;

kernel void k(device int *o) {
    thread_local int x = 1;
    *o = x;
}
