#include <metal_stdlib>
using namespace metal;
struct P { float x, y; };
struct L { P a, b; float w[3]; };
struct C { float v; C(float x) : v(x) {} };
union U { float f; uint u; };
constant const P unknown = { .z = 1.0f }; // ### P has no member z
constant float far[4] = { [4] = 1.0f }; // ### index 4 is outside float\[4\]
constant float none[4] = { [3 ... 1] = 1.0f }; // ### the range 3 ... 1 is empty
constant float many[2] = { [0] = 1.0f, 2.0f, 3.0f }; // ### too many values for float\[2\]
constant P indexed = { [0] = 1.0f }; // ### P has no elements: write .member
constant float named[2] = { .x = 1.0f }; // ### has elements and no member x
constant const L parts = { .a.x = 1.0f, 2.0f }; // ### write a designator
constant const L twice = { .a = {1.0f, 2.0f}, .a.x = 3.0f }; // ### designators of a part of what has a value already
constant const L fine = { .a.x = 1.0f, .a.y = 2.0f, .w[1] = 3.0f };
static_assert(fine.a.x == 1.0f && fine.a.y == 2.0f && fine.b.x == 0.0f && fine.w[0] == 0.0f && fine.w[1] == 3.0f, "designators");
thread device float both(float x); // ### thread and device are two address spaces of what is no pointer
// ------
#include <metal_stdlib>
using namespace metal;
struct P { float x, y; };
struct C { float v; C(float x) : v(x) {} };
union U { float f; uint u; };
float next(thread float &x) { return x++; }
kernel void k(device float *o [[buffer(0)]], constant uniform<int, 2>& n [[buffer(1)]]) { // ### uniform
}
kernel void tile(threadgroup_imageblock P *p [[buffer(0)]]) {} // ### the address space threadgroup_imageblock
kernel void m(device float *o [[buffer(0)]]) {
  float x = 1.0f;
  ray_data float *p = nullptr; // ### the address space ray_data
  float r[2] = { [0 ... 1] = next(x) }; // ### ranges of elements whose value has effects
  float one[2] = { [0] = next(x), [1] = next(x) };
  C c = { .v = 1.0f }; // ### a designator stands in the list of an array, or of a struct without constructors
  float s = { .v = 1.0f }; // ### a designator stands in the list
  float4 v = { 1.0f, 2.0f, 3.0f, 4.0f, 5.0f }; // ### float4 is made of 4 components, not of 5
  U u = { .u = 1u, .f = 2.0f }; // the later one counts
  threadgroup float t[] = {1.0f, 2.0f}; // ### t is in threadgroup, where an initialiser does nothing
  threadgroup float a = "a"; // ### .
  make_uniform(); // ### make_uniform takes one value
  static_assert(sizeof(t) == 8, "the list gives the length");
}
// ------
#include <metal_stdlib>
using namespace metal;
void vectors(float x) {
  float4 a = {x}; // ### only the first component of this float4 is given
  float4 b = {0};
  float4 c{2.0f}; // ### only the first component of this float4 is given
  float4 d = {a};
  float4 e = {float2(x), x};
  float4 f = float4(x);
  half3 g = {1.0h, 2.0h, 3.0h, 4.0h}; // ### half3 is made of 3 components, not of 4
}
struct Ref { thread float& r; int n; };
int refs(float x) {
  Ref a = {.n = 1, .r = x};
  Ref b = {.n = 2}; // ### the member r of Ref is a reference, and is bound when the object is made
  a.r = 2.0f;
  return a.n;
}
struct Uses { int a = 1; int b = a + 1; int c = 5; };
constant const Uses ends = {.a = 3};
static_assert(ends.b == 4 && ends.c == 5, "initialisers of members that are left out use those before");
constant const Uses hole = {.c = 3};
static_assert(hole.a == 1 && hole.b == 2 && hole.c == 3, "and so do those in between");
constant const Uses given = {.b = 7, .a = 8};
static_assert(given.a == 8 && given.b == 7 && given.c == 5, "only those that are left out");
