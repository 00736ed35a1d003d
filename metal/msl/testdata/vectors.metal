// Vectors, packed vectors, half and bfloat.
#include <metal_stdlib>
using namespace metal;

// float3 takes the room of four, packed_float3 of three.
// run packed threads=2 0=float[1 2 3 4 5 6] 1=float[0 0 0 9 0 0 0 9] -> 1=float[2 4 6 9 8 10 12 9]
kernel void packed(device const packed_float3 *in, device float3 *out, uint i [[thread_position_in_grid]]) {
    float3 v = in[i];
    out[i] = v * 2.0f;
}

// run swizzles threads=1 0=float*12 -> 0=float[4 3 2 1 1 1 2 2 9 2 3 8]
kernel void swizzles(device float4 *out) {
    float4 v(1, 2, 3, 4);
    out[0] = v.wzyx;
    out[1] = float4(v.xx, v.gg);
    v.xw = float2(9, 8);
    out[2] = v;
}

// Constructors, comparisons, select, any, all, dot.
// run mixed threads=1 0=float*4 1=int*6 -> 0=float[1 20 3 40] 1=int[1 0 0 1 1 20]
kernel void mixed(device float4 *out, device int *o) {
    float4 a = float4(float2(1, 2), 3, 4), b = a * 10;
    bool4 m = bool4(true, false, true, false);
    out[0] = select(b, a, m);
    int2 c = int2(a.xy < float2(2));
    o[0] = c.x;
    o[1] = c.y;
    o[2] = all(m);
    o[3] = any(m);
    uint3 u = uint3(3) << uint3(0, 1, 2);
    o[4] = u.z == 12u;
    o[5] = int(dot(a.xyz, float3(1, 2, 5)));
}

// A vector indexed by a variable, in registers and in memory.
// run indexed threads=4 0=int[10 20 30 40] 1=int*8 -> 1=int[11 21 31 41 4 3 2 1]
kernel void indexed(device int4 *in, device int *out, uint i [[thread_position_in_grid]]) {
    int4 v = *in;
    v[i] += 1;
    out[i] = v[i];
    int4 w = int4(1, 2, 3, 4);
    out[4 + i] = w[3 - i];
}

// half arithmetic is rounded to half; the sum is kept in float.
// run halves threads=1 0=half[1 0x1p-11 0x1p-11 2048] 1=half*2 2=float*1 -> 1=half[1 2048] 2=float[2049.0009765625]
kernel void halves(device const half *x, device half *out, device float *sum) {
    out[0] = x[0] + x[1];
    out[1] = x[3] + x[0];
    float s = 0;
    for (int i = 0; i < 4; i++) s += float(x[i]);
    sum[0] = s;
}

// run bfloats threads=2 0=bfloat[1 3] 1=bfloat*2 2=float*2 -> 1=bfloat[1 4] 2=float[1.5 4.5]
kernel void bfloats(device const bfloat *x, device bfloat *out, device float *f, uint i [[thread_position_in_grid]]) {
    float y = float(x[i]) * 1.5f;
    f[i] = y;
    out[i] = bfloat(y * 256.0f / 256.0f) == bfloat(1.5f) ? bfloat(1.0f) : bfloat(4.0f);
}

// half4 in memory, vec<T, N>, conversion of vectors.
template <typename T, int N> T total(vec<T, N> v) {
    T s = v[0];
    for (int i = 1; i < N; i++) s += v[i];
    return s;
}
// run halfvec threads=2 0=half[1 2 3 4 5 6 7 8] 1=float*2 -> 1=float[10 26]
kernel void halfvec(device const half4 *x, device float *out, uint i [[thread_position_in_grid]]) {
    out[i] = total(float4(x[i]));
}
