// Intersectors.
// refused: ray tracing
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *o) {
    raytracing::intersector<raytracing::triangle_data> i;
    *o = 1;
}
