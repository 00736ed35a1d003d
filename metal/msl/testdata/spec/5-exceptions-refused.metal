// There are no exceptions.
// refused: exceptions
#include <metal_stdlib>
using namespace metal;

kernel void k(device int *o) {
    try {
        *o = 1;
    } catch (...) {
    }
}
