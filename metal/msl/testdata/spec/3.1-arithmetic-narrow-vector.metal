// Components of vectors of narrow integers are not promoted: they wrap in their own type.
#include <metal_stdlib>
using namespace metal;

// run k 0=uchar[200 100 255 1] 1=uchar*4 2=int*1 -> 1=uchar[144 200 254 2] 2=int[400]
kernel void k(device const uchar4 *x, device uchar4 *o, device int *s) {
    *o = *x + *x;
    *s = x->x + x->x;
}
