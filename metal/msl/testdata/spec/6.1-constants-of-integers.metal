// Limits of integers as macros.
#include <metal_stdlib>
using namespace metal;

// run k 0=long*8 -> 0=long[8 -128 255 32767 -2147483648 4294967295 9223372036854775807 -1]
kernel void k(device long *o) {
    o[0] = CHAR_BIT;
    o[1] = SCHAR_MIN;
    o[2] = UCHAR_MAX;
    o[3] = SHRT_MAX;
    o[4] = INT_MIN;
    o[5] = UINT_MAX;
    o[6] = LONG_MAX;
    o[7] = ULONG_MAX;
}
