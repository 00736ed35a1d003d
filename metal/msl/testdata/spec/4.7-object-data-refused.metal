// Memory that object functions pass to mesh functions.
// refused: object_data
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *o) {
    object_data float *p = nullptr;
    o[0] = *p;
}
