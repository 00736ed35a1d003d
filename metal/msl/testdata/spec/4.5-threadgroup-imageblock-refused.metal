// Memory of imageblocks.
// refused: imageblock
#include <metal_stdlib>
using namespace metal;

struct P {
    float4 c;
};
kernel void k(device float *o) {
    threadgroup_imageblock P *p = nullptr;
    o[0] = p->c.x;
}
