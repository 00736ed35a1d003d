// A struct of values with [[id(n)]] is an argument buffer without pointers: its members lie as in any struct.
#include <metal_stdlib>
using namespace metal;

struct Args {
    float scale [[id(0)]];
    int count [[id(1)]];
};
// run k threads=3 0=float[2.5]int[2] 1=float[1 2 3] -> 1=float[2.5 5 3]
kernel void k(constant Args &a [[buffer(0)]], device float *x [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    if (int(i) < a.count) x[i] *= a.scale;
}
