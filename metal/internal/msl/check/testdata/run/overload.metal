// functions that a source adds to namespace metal
#include <metal_stdlib>
struct Z { float re, im; };
namespace metal {
inline float abs(Z z) { return sqrt(z.re * z.re + z.im * z.im); }
inline Z fma(Z a, float b, Z c) { return Z{fma(a.re, b, c.re), fma(a.im, b, c.im)}; }
inline float max(float a, float b, float c, float d) { return max(max(a, b), max(c, d)); }
inline float clamp(float x, int lo, int hi) { return -1; }
template <typename T> T min(T a, T b, T c, T d) { return min(min(a, b), min(c, d)); }
template <typename T> T dot(T a, T b) { return a * b; }
inline float erf(float x) { return 2 * x; }
namespace precise { inline float exp(Z z) { return exp(z.re); } inline float twice(float x) { return exp2(1.0f) * x; } }
namespace other { inline float own(float x) { return abs(x); } }
}
static float inside_using(Z z) { using namespace metal; return abs(z) + abs(-1.0f); }
static float by_declaration(Z z) { return metal::abs(z); }
using metal::max;
kernel void k(device float *out) {
  Z z{3, 4};
  out[0] = metal::abs(z); // = 5
  out[1] = metal::abs(-2.5f); // = 2.5
  out[2] = metal::abs(-3); // = 3
  out[3] = metal::fma(z, 2.0f, z).im; // = 12
  out[4] = metal::fma(2.0f, 3.0f, 4.0f); // = 10
  out[5] = max(1.0f, 5.0f, 2.0f, 3.0f); // = 5
  out[6] = max(1.0f, 5.0f) + max(2, 3) + metal::max(1u, 2u); // = 10
  out[7] = metal::clamp(5.0f, 1, 2); // = -1
  out[8] = metal::clamp(5.0f, 1.0f, 2.0f); // = 2
  out[9] = metal::min(4, 3, 2, 5) + metal::min(1.0f, 0.5f); // = 2.5
  out[10] = metal::dot(metal::float2(1, 2), metal::float2(3, 4)); // = 11
  out[11] = metal::dot(3.0f, 4.0f); // = 12
  out[12] = metal::erf(3.0f); // = 6
  out[13] = metal::precise::exp(Z{0, 1}) + metal::precise::exp(0.0f) + metal::fast::exp(0.0f); // = 3
  out[14] = metal::precise::twice(3); // = 6
  out[15] = metal::other::own(-3); // = 3
  out[16] = inside_using(z); // = 6
  out[17] = by_declaration(z); // = 5
  out[18] = metal::abs(metal::int2(-1, 2)).x; // = 1
}
// ------
// and those of the file, which uses metal
#include <metal_stdlib>
using namespace metal;
struct Z { float re, im; };
inline float abs(Z z) { return abs(z.re) + metal::abs(z.im); }
inline float mix(float a, float b, int n) { return 7; }
inline float sign(float x) { return 9; }
template <typename T> T max(T a, T b) { return a; }
kernel void k(device float *out) {
  out[0] = abs(Z{-1, -2}); // = 3
  out[1] = abs(-1.5f); // = 1.5
  out[2] = mix(1.0f, 2.0f, 1); // = 7
  out[3] = mix(1.0f, 2.0f, 0.5f); // = 1.5
  out[4] = sign(3.0f); // = 9
  out[5] = max(1.0f, 2.0f); // = 2
  out[6] = metal::sign(3.0f); // = 1
}
