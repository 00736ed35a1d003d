#include <metal_stdlib>
using namespace metal;
enum E { e3 = 3, e300 = 300 };
enum class F : uchar { a };
struct S { char c; half h; };
struct C { int v; C(int a, float b) : v(a) {} };
struct D { int n{1.5f}; }; // ### a list in braces narrows no number: write int\(…\) around this float
struct G { uchar v; operator int() const { return 300; } };
constexpr int three() { return 3; }
constant uchar table[] = {1, 2, 255, 256}; // ### this int does not fit in uchar; write uchar\(…\)
constant half small[] = {65504, 0.1f, 65505}; // ### this int does not fit in half
constant float exact[] = {1, -16777216, 16777217}; // ### this int does not fit in float
constant half range_[] = {1e-9f, 0x1p-30f, 7e4f}; // ### this float does not fit in half
static S make(int n) { return {1, n}; } // ### narrows no number: write half\(…\) around this int
static int take(uchar2 v) { return v.x; }
kernel void k(device float *out [[buffer(0)]], uint id [[thread_position_in_grid]]) {
  int n = 5;
  const int c = 5;
  float x = 2;
  half h = 2;
  bfloat b = bfloat(2);
  // What keeps every value, and constants that fit.
  uchar u0{255}, u1{c}, u2 = {c + 1}, u3{three()}, u4{'a'}, u5{e3}, u6{true};
  int i0{u0}, i1{c}, i2{short(n)}, i3{ushort(n)};
  float f0{h}, f1{x}, f2{1}, f3{16777216}, f4{c}, f5{b};
  half h0{1.0f}, h1{0.1f}, h2{h}, h3{2048};
  long l0{n}, l1{id};
  bool b0{1}, b1{n != 0};
  uint a0[3] = {1, 2, 3}, a1[] = {1u, id, u0};
  float2 v0{1, 2}, v1{x, h}, v2{v0}; int3 v3{u0, 1, i0}; half2 v4 = {1.5f, 2.5f};
  S s0{1, 2}, s1 = {'c', 0.5f}, s2[2] = {{1, 2}, 3, 4};
  C c0{n, 1}, c1(1.5f, n), c2{h > 1 ? 1 : 2, h};
  vec<uchar, 2> v5(n, n), v6 = vec<uchar, 2>(300);
  int p0(1.5f), p1 = 1.5f;
  array<int, 2> r0 = {1, 2};
  D d;
}
// ------
#include <metal_stdlib>
using namespace metal;
enum E { e3 = 3, e300 = 300 };
enum class F : uchar { a };
struct S { char c; half h; };
struct C { int v; C(int a, float b) : v(a) {} };
struct G { uchar v; operator int() const { return 300; } };
constexpr int three() { return 3; }
static int take(uchar2 v) { return v.x; }
kernel void k(device float *out [[buffer(0)]], uint id [[thread_position_in_grid]]) {
  int n = 5;
  const int c = 5;
  float x = 2;
  half h = 2;
  bfloat b = bfloat(2);
  uchar u0{255}, u1{c}, u2 = {c + 1}, u3{three()}, u4{'a'}, u5{e3}, u6{true};
  int j0{1.5f}; // ### narrows no number: write int\(…\) around this float
  int j1{1.0f}; // ### narrows no number: write int\(…\) around this float
  int j2 = {x}; // ### narrows no number: write int\(…\) around this float
  uchar j3[2] = {300, 1}; // ### this int does not fit in uchar
  uchar j4{-1}; // ### this int does not fit in uchar
  uchar j5{n}; // ### narrows no number: write uchar\(…\) around this int
  uint j6{n}; // ### narrows no number: write uint\(…\) around this int
  int j7{id}; // ### narrows no number: write int\(…\) around this uint
  int j8{4294967295u}; // ### this uint does not fit in int
  uchar j9{e300}; // ### this E does not fit in uchar
  float k0{n}; // ### narrows no number: write float\(…\) around this int
  float k1{16777217}; // ### this int does not fit in float
  float k2{u0}; // ### narrows no number: write float\(…\) around this uchar
  half k3{x}; // ### narrows no number: write half\(…\) around this float
  half k4{1e6f}; // ### this float does not fit in half
}
// ------
#include <metal_stdlib>
using namespace metal;
enum E { e3 = 3, e300 = 300 };
enum class F : uchar { a };
struct S { char c; half h; };
struct C { int v; C(int a, float b) : v(a) {} };
struct G { uchar v; operator int() const { return 300; } };
constexpr int three() { return 3; }
static int take(uchar2 v) { return v.x; }
kernel void k(device float *out [[buffer(0)]], uint id [[thread_position_in_grid]]) {
  int n = 5;
  const int c = 5;
  float x = 2;
  half h = 2;
  bfloat b = bfloat(2);
  uchar u0{255}, u1{c}, u2 = {c + 1}, u3{three()}, u4{'a'}, u5{e3}, u6{true};
  bool k5{n}; // ### narrows no number: write bool\(…\) around this int
  bool k6{2}; // ### this int does not fit in bool
  bfloat k7{h}; // ### half cannot be converted to bfloat
  half k8{b}; // ### bfloat cannot be converted to half
  float2 m0{n, 1}; // ### narrows no number: write float\(…\) around this int
  uchar2 m1 = {1, 256}; // ### this int does not fit in uchar
  int2 m2{x}; // ### narrows no number: write int\(…\) around this float
  uint a2[2][2] = {{1, 2}, {3, n}}; // ### narrows no number: write uint\(…\) around this int
  array<uint, 2> r1 = {1, n}; // ### narrows no number: write uint\(…\) around this int
  S s3{n, 1}; // ### narrows no number: write char\(…\) around this int
  S s4[2] = {1, 2, 3, x}; // ### narrows no number: write half\(…\) around this float
  C c3{x, 1}; // ### narrows no number: write int\(…\) around this float
  C c4 = {1, n}; // ### narrows no number: write float\(…\) around this int
  out[0] = int{x}; // ### narrows no number: write int\(…\) around this float
  take({1, n}); // ### narrows no number: write uchar\(…\) around this int
}
// ------
#include <metal_stdlib>
using namespace metal;
// A list is for the function that it fits best, and then it must not narrow.
struct S { char c; };
static int pick(S) { return 1; }
template <typename T> static T made(int n) { return T{n}; } // ### narrows no number: write char\(…\) around this int
kernel void k(device float *out [[buffer(0)]]) {
  int n = 5;
  pick({1});
  pick({n}); // ### narrows no number: write char\(…\) around this int
  made<int>(n);
  made<char>(n);
}
