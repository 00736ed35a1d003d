// There is no memory from new.
// refused: new
#include <metal_stdlib>
using namespace metal;

kernel void k(device int *o) {
    thread int *p = new int;
    *o = *p;
}
