// bool is true or false; as a number it is 1 or 0, and any number that is not 0 becomes true.
#include <metal_stdlib>
using namespace metal;

// run k 0=int[0 -7] 1=float[0.5 0] 2=int*6 -> 2=int[0 1 1 0 1 2]
kernel void k(device const int *i, device const float *f, device int *o) {
    o[0] = bool(i[0]);
    o[1] = bool(i[1]);
    o[2] = bool(f[0]);
    o[3] = bool(f[1]);
    bool b = true;
    o[4] = sizeof(bool);
    o[5] = b + b;
}
