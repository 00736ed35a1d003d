// Imageblocks are the memory of tiles.
// refused: imageblock
#include <metal_stdlib>
using namespace metal;

struct P {
    half4 c;
};
kernel void k(imageblock<P> b, ushort2 at [[thread_position_in_threadgroup]]) {
    threadgroup_imageblock P *p = b.data(at);
    p->c = half4(0);
}
