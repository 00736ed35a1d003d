// abs of integers; absdiff is without overflow and unsigned.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[-5 5 2147483647 -1] 1=uint*4 -> 1=uint[5 5 2147483648 10]
kernel void k(device const int *x, device uint *o) {
    o[0] = abs(x[0]);
    o[1] = abs(short2(x[0], x[1])).x;
    o[2] = absdiff(x[2], x[3]);
    o[3] = absdiff(uchar(5), uchar(15));
}
