// Members of classes that are static.
#include <metal_stdlib>
using namespace metal;

struct Limits {
    static constant constexpr int low = -2;
    static constexpr constant int list[2] = {4, 5};
    static int width() { return list[1] - low; }
};
// run k 0=int*2 -> 0=int[7 4]
kernel void k(device int *o) {
    o[0] = Limits::width();
    o[1] = Limits::list[0];
}
