// functions that a source adds to namespace metal after `using namespace metal;`, and one that is brought in twice
#include <metal_stdlib>
using namespace metal;
namespace metal {
inline uint minx(uint a, device const uint *p) { return a + p[0]; }
inline float min(float a, float b, float c, float d) { return min(min(a, b), min(c, d)); }
}
namespace N { inline uint g(uint a) { return a + 1; } }
using namespace N;
using N::g;
kernel void k(device float *out, device const uint *p [[buffer(1)]]) {
  out[0] = min(4.0f, 3.0f, 2.0f, 5.0f); // = 2
  out[1] = min(4, 3); // = 3
  out[2] = g(1u); // = 2
  out[3] = metal::min(1.0f, 0.5f, 3.0f, 2.0f); // = 0.5
  if (out[0] < 0) out[4] = minx(1u, p);
}
