// A kernel that is a template is instantiated with a name.
#include <metal_stdlib>
using namespace metal;

template <typename T, int N>
[[kernel]] void scaled(device T *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    x[i] *= N;
}
// run scaled_int threads=2 0=int[1 2] -> 0=int[3 6]
template [[host_name("scaled_int")]] [[kernel]] void scaled<int, 3>(device int *, uint);
// run scaled_half threads=2 0=half[1 2] -> 0=half[2 4]
template [[host_name("scaled_half")]] kernel void scaled<half, 2>(device half *, uint);
