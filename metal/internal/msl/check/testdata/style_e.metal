#include <metal_stdlib>
using namespace metal;
// things that might break
template <typename T> struct Traits; 
template <> struct Traits<float> { typedef float acc; enum { N = 4 }; static constexpr int M = 3; };
template <> struct Traits<half> { typedef float acc; enum { N = 8 }; static constexpr int M = 3;};
template <typename T, typename AccT = typename Traits<T>::acc> AccT acc(T x) { AccT arr[Traits<T>::N]; arr[Traits<T>::M] = x; return arr[Traits<T>::M]; }
struct Counter { int n = 0; thread Counter& inc() { ++n; return *this; } };
struct Node { float v; int next; };
struct Mat { float m[3][3]; thread float* operator[](int i) { return m[i]; } thread const float* operator[](int i) const { return m[i]; } };
struct Functor { float k; float operator()(float x) const { return k * x; } };
template <typename F> float applyf(F f, float x) { return f(x); }
template <typename F> float applyr(const thread F &f, float x) { return f(x); }
float pick(device const float *p, uint i, bool b = false) { return b ? p[i] : p[0]; }
namespace a { namespace b { constant float K = 2; float g() { return K; } struct T { float x; }; } using namespace b; float h() { return g(); } }
namespace c { using a::b::g; float q() { return g(); } using a::b::T; T make() { return T{1}; } }
using a::b::K;
typedef struct Tagged { int x; } TaggedAlias;
struct Outer { struct Inner { int z; }; Inner in; enum Kind { K1, K2 }; Kind kind; static Inner mk() { return Inner{5}; } };
union Bits { uint u; float f; uchar b[4]; };
constant float coeff[] = { 1.0f, -0.5f, 1.f/6 };
constant uint primes[3] = { 2u, 3u, 5u };
inline uint rotl(uint x, int k) { return (x << k) | (x >> (32 - k)); }
static inline float3 cross3(float3 a, float3 b) { return a.yzx * b.zxy - a.zxy * b.yzx; }
void store(device float *dst, float v, uint i) { dst[i] = v; }
void store(threadgroup float *dst, float v, uint i) { dst[i] = v; }
template <typename P> void storep(P p, float v) { *p = v; p[1] = v; }
template <typename T, size_t N> T suma(thread const array<T, N> &a) { T s = 0; for (size_t i = 0; i < N; i++) s += a[i]; return s; }
template <uint BITS> constexpr uint maskof() { return (1u << BITS) - 1; }
template <class T> T zero() { return T{}; }
template <class T, class U> auto addm(T a, U b) { return a + b; }
kernel void e(device float *o, constant uint *cc, uint i [[thread_position_in_grid]], uint w [[threads_per_simdgroup]]) {
  o[0] = acc(1.0f) + acc(half(2));
  Counter ct; ct.inc().inc(); o[1] = ct.n;
  Mat m; m[1][2] = 3; const Mat mm = m; o[2] = mm[1][2];
  Functor f{2}; o[3] = applyf(f, 3) + applyr(f, 2) + applyf(Functor{1}, 1);
  o[4] = pick(o, 1) + pick(o, i, true) + a::h() + c::q() + c::make().x + K;
  TaggedAlias ta = {3}; struct Tagged tb = ta; o[5] = tb.x;
  Outer::Inner in = Outer::mk(); Outer out; out.in = in; out.kind = Outer::K2; o[6] = out.in.z + out.kind;
  Bits bits; bits.f = 1; o[7] = bits.u >> 23; bits.b[0] = 1;
  threadgroup float tg[32]; storep(o, 1); storep(tg, 2); storep(&tg[3], 1); store(tg, 1, 0); store(o, 1, 1); 
  array<float, 4> ar = {1,2,3,4}; o[8] = suma(ar) + maskof<5>() + zero<float4>().x + addm(1, 2.5f);
  o[9] = coeff[2] + primes[cc[0] % 3] + rotl(3, 4) + cross3(float3(1), float3(2)).x;
  float x = 1, y = x++ * 2, z = -x; o[10] = x + y - z; 
  for (int j = 0; j < 3; ++j) for (int k = j; k < 3; ++k) { if (k == 1) continue; o[j] += k; }
  int n = 0; while (n++ < 5) if (n == 3) break;
  uint *dummy;
  float4 v = float4(float2(1, 2), 3, 4); v.xyzw = v.wzyx; v[i & 3] = 1; v.x += v.y; v.xy = v.yx + float2(1); o[11] = v.x;
  (v.x > 1 ? o[1] : o[2]) = 4; *(o + 3) += 2; o[i] *= o[i + 1]; o[4]++; --o[5]; o[6] = -o[7]; o[n += 1] = 2;
  bool b = o[0] && !o[1] || i; if (b) ; else { }
  switch (i) { default: o[0] = 1; case 1: case 2: { o[1] = 2; break; } case 3: o[2] = 3; }
  const float arr[2][2] = {{1, 2}, {3, 4}}; o[8] = arr[1][0]; const thread float *row = arr[1]; o[9] = row[1];
}
