// Memory of intersection functions.
// refused: ray_data
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *o) {
    ray_data float *p = nullptr;
    o[0] = *p;
}
