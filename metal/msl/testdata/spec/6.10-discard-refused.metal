// Only fragments are discarded.
// refused: fragment
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *x) {
    if (*x < 0) discard_fragment();
}
