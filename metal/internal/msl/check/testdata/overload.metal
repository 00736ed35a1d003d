#include <metal_stdlib>
namespace metal {
inline float max(float a, float b) { return a; } // ### metal::max\(float, float\) is in Metal's library already
inline float modf(float a, thread float &b) { return a; } // ### metal::modf\(float, thread float&\) is in Metal's library already
inline float modf(float a, thread int &b) { return a; }
namespace fast { inline float exp(float a) { return a; } } // ### metal::fast::exp\(float\) is in Metal's library already
inline float exp(float a, float b) { return a; }
inline float pow(float a, int b) { return a; }
inline float atan2(half a, float b) { return a; }
}
kernel void k(device float *out) {
  int n = 3;
  half h = 2;
  float x = 1;
  metal::exp(1.0f, 2.0f);
  metal::exp(1.0f, 2.0f, 3.0f); // ### .*
  metal::pow(x, n);
  metal::pow(x, x);
  metal::pow(h, n); // ### the call of metal::pow\(half, int\) is ambiguous
  metal::atan2(h, x);
  metal::atan2(h, h);
  metal::atan2(x, h);
  metal::log(out); // ### .*
  metal::fast::nothing(x); // ### metal::fast::nothing is not declared
}
// ------
#include <metal_stdlib>
using namespace metal;
inline float mix(float a, float b, int n) { return 7; }
kernel void k(device float *out) {
  half h = 1;
  mix(h, h, h);
  mix(h, h, 1); // ### the call of mix\(half, half, int\) is ambiguous; candidates: mix\(float, float, int\) at .*; metal::mix\(half, half, half\)
}
