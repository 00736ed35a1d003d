// There is no long long.
// refused: long long
#include <metal_stdlib>
using namespace metal;

kernel void k(device long *o) {
    long long x = 1;
    o[0] = x;
}
