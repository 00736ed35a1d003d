// Matrices: constructors, program-scope constants, layout, determinants. TestMatrices has their operators.
#include <metal_stdlib>
using namespace metal;

constant float2x3 sixth = float2x3(1, 2, 3, 4, 5, 6);
constant float3x3 listed = {float3(1, 2, 3), float3(4, 5, 6), float3(7, 8, 10)};
static_assert(sizeof(float3x3) == 48 && alignof(float3x3) == 16 && sizeof(half2x4) == 16 && sizeof(float4x2) == 32, "layout");

// run made 0=float*11 -> 0=float[1 1 1 1 1 1 5 6 4 16 2]
kernel void made(device float *o [[buffer(0)]]) {
  o[0] = sixth == float2x3(float3(1, 2, 3), float3(4, 5, 6));
  o[1] = float2x4(1, 2, 3, 4, 5, 6, 7, 8) == float2x4(float4(1, 2, 3, 4), float4(5, 6, 7, 8));
  o[2] = metal::transpose(listed) == float3x3(1, 4, 7, 2, 5, 8, 3, 6, 10);
  o[3] = float4x4(1) == matrix<float, 4>(float4(1, 0, 0, 0), float4(0, 1, 0, 0), float4(0, 0, 1, 0), float4(0, 0, 0, 1));
  o[4] = float4x3(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)[3].y == 10;
  o[5] = float4x4(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15)[2].w == 11;
  o[6] = sixth[1][1];
  float2x3 m = sixth;
  o[7] = m.columns[1].z;
  m[1].xz = 4;
  o[8] = m[1][2];
  o[9] = float3x3(half3x3(4))[1][1] * sixth[1][0];
  half2x2 small{half2(1), half2(2)};
  o[10] = (half2(0, 1) * small).y;
}

// run volumes 0=float*8 -> 0=float[-2 -3 -24 30 0 1 1 1]
kernel void volumes(device float *o [[buffer(0)]]) {
  o[0] = determinant(float2x2(1, 2, 3, 4));
  o[1] = determinant(listed);
  o[2] = determinant(float4x4(0, 2, 0, 0, 3, 0, 0, 0, 0, 0, 0, 1, 0, 0, -4, 0));
  o[3] = determinant(half4x4(1, 0, 0, 0, 7, 2, 0, 0, 5, 6, 3, 0, 1, 2, 4, 5));
  o[4] = determinant(float4x4(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16));
  for (uint i = 0; i < 3; i++) {
    float4x4 swapped(1);
    swapped[i] = float4x4(1)[i + 1];
    swapped[i + 1] = -float4x4(1)[i];
    o[5 + i] = determinant(swapped);
  }
}

// Blocks of quantised numbers as a matrix of four columns, whatever its type, from a device's memory and to a threadgroup's.
struct Quants {
  half scale;
  uchar low[8];
};
typedef matrix<bfloat, 4, 4> bfloat4x4;
template <typename M> void unpack(device const Quants *q, thread M &m) {
  float4x4 exact;
  for (int i = 0; i < 16; i++) exact[i / 4][i % 4] = q->scale * ((q->low[i / 2] >> (i % 2 * 4) & 15) - 8);
  m = (M)exact;
}
void unpack(device const half4x4 *q, thread float4x4 &m) { m = (float4x4)(*q); }
template <typename M, typename From> float tried(device const From *q, threadgroup float4x4 *room, ushort id) {
  M m;
  unpack(q + id, m);
  room[id] = float4x4(m);
  threadgroup const float *all = (threadgroup const float *)room;
  float s = 0;
  for (ushort i = 0; i < 16; i++) s += (i + 1) * all[16 * id + i];
  return s + (room[id] * float4(1, 2, 3, 4))[3] * 1024;
}
// run unpacked threads=2 0=float*8 1=half[2]uchar[16 50 84 118 152 186 220 254]half[0.5]uchar[1 2 3 4 5 6 7 8] 2=half[1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1] t0=256 -> 0=float[61984 -41318 61984 -41318 61984 -41318 124376 4130]
kernel void unpacked(device float *o [[buffer(0)]], device const Quants *q [[buffer(1)]], device const half4x4 *h [[buffer(2)]],
                     threadgroup float4x4 *room [[threadgroup(0)]], ushort id [[thread_index_in_threadgroup]]) {
  o[id] = tried<float4x4>(q, room, id);
  o[2 + id] = tried<half4x4>(q, room, id);
  o[4 + id] = tried<bfloat4x4>(q, room, id);
  o[6 + id] = tried<float4x4>(h, room, id);
}

// Functions of the source's own do not hide those of the library from it.
static float dot(float2, float2) { return -1; }
static bool all(bool2) { return false; }
// run hidden 0=float*3 -> 0=float[5 11 1]
kernel void hidden(device float *o [[buffer(0)]]) {
  const float2x2 m(1, 2, 3, 4);
  const float2 v = float2(1, 2) * m;
  o[0] = v.x;
  o[1] = v.y;
  o[2] = dot(v, v) == -1 && m == m && !all(bool2(true));
}
