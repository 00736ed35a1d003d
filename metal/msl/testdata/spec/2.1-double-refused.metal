// There is no double.
// refused: double
#include <metal_stdlib>
using namespace metal;

kernel void k(device float *o) {
    double x = 1.5;
    o[0] = float(x);
}
