// floatCxR has C columns of R rows; so has matrix<T, C, R>.
#include <metal_stdlib>
using namespace metal;

static_assert(is_same_v<float2x3, matrix<float, 2, 3>> && is_same_v<half4x4, matrix<half, 4, 4>>, "names");
// run k 0=int*6 -> 0=int[16 32 64 8 16 32]
kernel void k(device int *o) {
    o[0] = sizeof(float2x2);
    o[1] = sizeof(float2x3);
    o[2] = sizeof(float4x4);
    o[3] = sizeof(half2x2);
    o[4] = sizeof(half2x3);
    o[5] = sizeof(half4x4);
}
