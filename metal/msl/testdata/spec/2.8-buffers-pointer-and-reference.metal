// A buffer is a pointer or a reference into device or constant memory, or an array with a known size.
#include <metal_stdlib>
using namespace metal;

struct Params {
    int factor;
    int offset;
};
// run k threads=3 0=int[1 2 3] 1=int[10 4] 2=int[1 1 1] 3=int*3 -> 3=int[15 25 35]
kernel void k(const device int *x [[buffer(0)]], constant Params &p [[buffer(1)]], constant int (&ones)[3] [[buffer(2)]],
              device int *o [[buffer(3)]], uint i [[thread_position_in_grid]]) {
    o[i] = x[i] * p.factor + p.offset + ones[i];
}
