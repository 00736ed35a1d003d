// addsat, subsat and madsat stop at the ends of the type.
#include <metal_stdlib>
using namespace metal;

// run k 0=int*6 -> 0=int[2147483647 -2147483648 255 0 127 -5]
kernel void k(device int *o) {
    o[0] = addsat(2147483000, 1000);
    o[1] = subsat(-2147483000, 1000);
    o[2] = addsat(uchar(200), uchar(100));
    o[3] = subsat(ushort(5), ushort(6));
    o[4] = madsat(char(50), char(5), char(1));
    o[5] = madsat(2, -4, 3);
}
