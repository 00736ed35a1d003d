// A struct is aligned as its most aligned member, with gaps before members and at the end.
#include <metal_stdlib>
using namespace metal;

struct S {
    char a;     // 0
    float3 b;   // 16
    half c;     // 32
};
// run k 0=char[1]char*15float[2 3 4 0]half[5]half*7 1=int*2 2=float*2 -> 1=int[48 16] 2=float[4 5]
kernel void k(constant S &s, device int *o, device float *f) {
    o[0] = sizeof(S);
    o[1] = alignof(S);
    f[0] = s.b.z;
    f[1] = float(s.c);
}
