// Whether all lanes voted is asked by simd_all.
// refused: simd_all
#include <metal_stdlib>
using namespace metal;

kernel void k(device int *o) {
    simd_vote v = simd_ballot(true);
    *o = v.all();
}
