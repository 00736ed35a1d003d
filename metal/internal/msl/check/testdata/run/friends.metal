// friends defined in class templates
#include <metal_stdlib>
using namespace metal;
float halved(float a);
template <typename T> struct W {
  T x;
  friend float halved(float a) { T h = a / 2; return h; }
};
template <typename T> struct V {
  T x;
  friend V operator+(V a, V b) { V r; r.x = a.x + b.x; return r; }
  friend bool operator<(const thread V& a, const thread V& b) { return a.x < b.x; }
  friend T plus(V a, T n) { T m = a.x + n; return twice(m); }
  friend T twice(V a) { return twice(a.x); }
  friend T unused(V a) { return a.nothing; }
  static T twice(T n) { return n + n; }
};
kernel void k(device float *out) {
  V<float> a{1.5f}, b{2.25f};
  V<uint> c{3}, d{4};
  out[0] = (a + b).x; // = 3.75
  out[1] = float((c + d).x); // = 7
  out[2] = a < b ? 1.0f : 0.0f; // = 1
  out[3] = twice(a); // = 3
  out[4] = float(plus(c, 4u)); // = 14
  out[5] = plus(b, 1.0f); // = 6.5
  W<float> w{1.0f};
  out[6] = halved(w.x); // = 0.5
}
// ------
// votes as integers
#include <metal_stdlib>
using namespace metal;
kernel void k(device float *out) {
  simd_vote v = simd_ballot(true);
  simd_vote::vote_t a = (simd_vote::vote_t)v;
  ulong b = (metal::simd_vote::vote_t)v;
  simd_vote::vote_t *p = &a;
  out[0] = float(a); // = 1
  out[1] = float((quad_vote::vote_t)quad_ballot(true)); // = 1
  out[2] = float(simd_vote::vote_t(v) + b); // = 2
  out[3] = float(*p); // = 1
  out[4] = v.any() ? 1.0f : 0.0f; // = 1
  out[5] = float(static_cast<metal::simd_vote::vote_t>(v)); // = 1
}
