#include <metal_stdlib>
using namespace metal;
struct Point { float x, y; bool inf; static Point neutral() { Point p; p.inf = true; return p; } };
template <typename Fp, ulong A> class EC { public:
 Fp x; Fp y; Fp z;
 constexpr EC() : EC(EC::neutral_element()) {}
 constexpr EC(Fp _x, Fp _y, Fp _z) : x(_x), y(_y), z(_z) {}
 static EC neutral_element() { return EC(Fp(0), Fp(1), Fp(0)); }
 EC operator+(const EC o) const { if (is_neutral(*this)) return o; EC r = EC(x + o.x, y, z); return r; }
 void operator+=(const EC o) { *this = *this + o; }
 private: bool is_neutral(const EC e) const { return e.z == Fp(0); }
};
typedef EC<int, 5> C;
constant int SIZES[] = {1, 2, 3, 4};
constant int MATRIX[2][2] = {{1, 2}, {3, 4}};
void swap2(thread int &a, thread int &b) { int t = a; a = b; b = t; }
int arrsum(thread const int (&a)[4]) { return a[0]; }
int arr2d(thread int a[2][3]) { return a[1][2]; }
inline void load(threadgroup float (&tile)[16][17], device const float *src, uint2 p) { tile[p.y][p.x] = src[p.y * 16 + p.x]; }
float2 cmul(float2 a, float2 b) { return float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x); }
void outp(device float *dst, float2 v) { *((device packed_float2 *)dst) = packed_float2(v); dst[0] = v.x, dst[1] = v.y; }
[[max_total_threads_per_threadgroup(256)]] kernel void kk(device C *c, device float *f, uint2 p [[thread_position_in_threadgroup]], constant float3 &dims, constant Point *pts [[buffer(7)]]) {
  C q = c[0]; q += C(1, 2, 3); q = q + C(); c[1] = q;
  threadgroup float tile[16][17]; load(tile, f, p);
  int a[4] = {3, 1, 2}; swap2(a[0], a[1]);
  int t[2][3] = {1, 2, 3, 4, 5, 6};
  f[0] = arrsum(a) + arr2d(t) + SIZES[2] + MATRIX[1][0] + sizeof(SIZES) / sizeof(SIZES[0]);
  float2 z = cmul(float2(1, 2), f[1]); outp(f, z); f[2] = z[0]; z[1] = 3;
  const Point pp = pts[0];
  f[3] = pp.inf ? pp.x : Point::neutral().y;
  for (uint i = p.x; ; ) { if (i > 3) break; ++i; }
  uint64_t big = 0xFFFFFFFFFFFFFFFFul; int sh = 3; big = (big << sh) | (big >> (64 - sh));
  if (const int r = sh - 3) { f[4] = r; } else f[4] = 1;
  volatile float vol = 1; vol = vol + 1;
  device volatile float *vp = f; float r = *vp; *vp = r;
  device atomic_int *ai = (device atomic_int *)f; int old = atomic_fetch_add_explicit(ai, 1, memory_order_relaxed);
  int expected = 0; while (!atomic_compare_exchange_weak_explicit(ai, &expected, 5, memory_order_relaxed, memory_order_relaxed)) {}
  float ip; float fr = modf(1.5f, ip); int ex; float m = frexp(fr, ex); float cs; float sn = sincos(m, cs);
  float4 v4; v4.xyz = float3(1); v4.w = fr; v4.rgb *= 2.0; float3 n3 = normalize(v4.xyz); f[5] = length(n3) + v4.a;
  f[6] = mix(1.0f, 2.0f, 0.5f) + step(0.5f, 1.0f) + fma(1.0f, 2.0f, 3.0f) + pow(2.0f, 3.0f) + fast::exp(1.0f) + precise::sqrt(2.0);
  f[7] = isnan(f[6]) || isinf(f[6]) ? 0 : abs(-3) + fabs(-2.0f) + sign(-1.0f);
  ushort us = p.x; us++; us += 2; us = us << 1; char ch = us; f[8] = us >> 1 | ch;
  float x = f[0], *ptr = &x, arrf[2]; *ptr = 1; arrf[0] = x; 
  const float half_pi = M_PI_F / 2; f[9] = half_pi * dims.x; 
  uint3 u3 = uint3(p, 1); f[10] = u3.z + float(all(u3 == 1)) + float(any(bool2(true, false)));
  bool b = 5; b |= true; b ^= 1; b &= f[0] > 1; f[11] = b;
  half4 h4 = half4(float4(1)); h4 += 1.0f; h4 = h4 * 2; half hh = h4.x * 2.0h + 1; f[12] = hh;
  bfloat bf = bfloat(1.5f); bf = bf + 1; float fromb = bf; f[13] = fromb;
  int i5 = int(2.7f), i6 = (int)f[0], i7 = static_cast<int>(f[1]); long l8 = i5 + 3L; f[14] = l8 % 7;
  switch (i5) { case 0: { int q1 = 1; f[15] = q1; } break;  default: ; }
}
