// booln to ulongn and halfn to floatn, n from 2 to 4, and the same as vec<T, n>.
#include <metal_stdlib>
using namespace metal;

static_assert(is_same_v<float4, vec<float, 4>> && is_same_v<uchar2, vec<uchar, 2>> && is_same_v<bool3, vec<bool, 3>>, "names");
// run k 0=int*8 -> 0=int[2 4 4 8 16 16 32 32]
kernel void k(device int *o) {
    o[0] = sizeof(char2);
    o[1] = sizeof(uchar3);
    o[2] = sizeof(bool4);
    o[3] = sizeof(half3);
    o[4] = sizeof(float3);
    o[5] = sizeof(int4);
    o[6] = sizeof(long3);
    o[7] = sizeof(vec<ulong, 4>);
}
