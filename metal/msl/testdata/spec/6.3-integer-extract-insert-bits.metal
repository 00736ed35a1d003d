// extract_bits keeps the sign of signed integers; insert_bits replaces some bits.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[0x0f35] 1=int*5 -> 1=int[3 -1 0x0fa5 15 -1]
kernel void k(device const int *x, device int *o) {
    o[0] = extract_bits(x[0], 4, 4);
    o[1] = extract_bits(x[0], 8, 4);
    o[2] = insert_bits(x[0], 0xfa, 4, 4) ^ 0;
    o[3] = extract_bits(uint(x[0]), 8, 4);
    o[4] = extract_bits(short2(x[0]), 8, 4).y;
}
