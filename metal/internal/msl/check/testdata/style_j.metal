#include <metal_stdlib>
using namespace metal;
struct S { static constexpr constant int arr[] = {1, 2, 3}; static constexpr constant float pi = 3.5f; };
constant S gs = {};
namespace { constant int hidden = 3; int hid() { return hidden; } }
template <typename T, typename U> constexpr bool same_size = sizeof(T) == sizeof(U);
template <typename T> struct Wrap { T x; Wrap(T v) : x(v) {} template <typename U> Wrap(Wrap<U> o) : x(T(o.x)) {} };
template <typename T> Wrap<T> operator*(Wrap<T> a, T b) { return Wrap<T>(a.x * b); }
struct Op { template <int N> static int go(int x) { return x * N; } template <typename T> T get() const { return T(2); } };
template <typename O> int use(O o) { return O::template go<3>(2) + int(o.template get<float>()); }
int defaulted(int a, int b = sizeof(float) * 2, int c = S::arr[1]) { return a + b + c; }
kernel void j(device float *o, constant int (&fixed)[4], device atomic_uint (*at)[2]) {
  simd_vote v = simd_ballot(true); bool a = simd_all(o[0] > 1); ulong m = (ulong)v; ulong m2 = simd_vote::vote_t(v);
  o[0] = sizeof(S::arr) / sizeof(int) + S::pi + a + float(m) + m2 + hid() + fixed[2];
  o[1] = same_size<int, float> ? 1 : 0;
  Wrap<float> w(1.5f); Wrap<int> wi = w; w = w * 2.0f; o[2] = wi.x + w.x + use(Op()) + defaulted(1);
  if (simd_is_first()) o[3] = 1;
  uint lane = simd_broadcast_first(3u);
  quad_vote qv = quad_ballot(true);
  array<array<float, 2>, 2> aa = {{{1, 2}, {3, 4}}}; o[4] = aa[1][0];
  array<float2, 2> av = {float2(1), float2(2)}; o[5] = av[1].y;
  metal::float4 mf = metal::max(float4(1), 2.0f); ::metal::half2 mh = half2(1); o[6] = mf.x + mh.x;
  constexpr array<int, 2> ca = {1, 2}; int sz[ca[1]]; o[7] = sizeof(sz);
  atomic_store_explicit(&(*at)[1], 3u, memory_order_relaxed);
  const constant int *cp = fixed; constant auto &cr = fixed; o[8] = cp[1] + cr[2];
  thread float *tp; { float inner = 1; tp = &inner; } o[9] = *tp;
  float big[3][4][5]; big[1][2][3] = 1; thread float (*row)[5] = big[1]; o[10] = row[2][3];
  o[11] = mulhi(0xffffffffffffffffu, 2ul) + extract_bits(0xf0u, 4, 4) + select(1, 2, true);
  o[12] = (int4(1) == int4(1)).x ? 1 : select(float4(1), float4(2), int4(1) > 0).x;
  float3 n = -float3(1, 2, 3); n *= 2; n = 2 * n / 3; n += n.zyx; n.x = n[2]; o[13] = n.x;
  uint x = 5; x = x & ~1u | 8 >> 1 & 0x3; x ^= x << 13; o[14] = x % 7 == 3 && x != 4;
}
