// class templates that are named before they are defined
#include <metal_stdlib>
using namespace metal;
template <typename T, int N = 2> struct S;
template <typename T> struct P;
template <typename T> struct Q;
template <typename A> union U;
struct Holder { thread S<float> *s; };
static float first(thread S<float> *s);
static float second(const thread S<float> &s);
using Alias = S<float>;
typedef Q<int> QInt;
static int only(thread P<float *> *p, thread P<int> *) { return 1; }
template <typename X, int M> struct S { X v[M]; X sum() const { return v[0] + v[1]; } static constexpr constant int n = M; };
template <typename T> struct P { T v; int kind() const { return 1; } };
template <typename T> struct P<T *> { int kind() const { return 2; } };
template <> struct Q<int> { int x; };
template <typename T> struct Q { T y; };
template <typename B> union U { B b; uint bits; };
static float first(thread S<float> *s) { return s->v[0]; }
static float second(const thread S<float> &s) { return s.v[1]; }
kernel void k(device float *out) {
  S<float> s{1.5f, 2.5f};
  Holder h{&s};
  out[0] = h.s->sum(); // = 4
  out[1] = first(&s) + second(s); // = 4
  out[2] = sizeof(S<float>); // = 8
  out[3] = S<float>::n; // = 2
  Alias a = s;
  out[4] = a.v[1]; // = 2.5
  P<float *> p; P<int> q{3};
  out[5] = p.kind() + 10 * q.kind(); // = 12
  out[6] = only(&p, &q); // = 1
  QInt i{7};
  out[7] = i.x; // = 7
  Q<float> f{8};
  out[8] = f.y; // = 8
  U<float> u; u.b = 1;
  out[9] = u.bits == 0x3f800000u ? 1 : 0; // = 1
}
// ------
// one that is named before, within itself, and in a kernel's parameters
#include <metal_stdlib>
using namespace metal;
namespace n { template <typename T> struct Node; }
struct Pair { int a, b; };
static int follow(device n::Node<Pair> *p, int d);
namespace n {
template <typename T> struct Node { T v; Node() thread = default; int get() const device { return v.a + v.b; } };
}
static int follow(device n::Node<Pair> *p, int d) { return d ? p[d].get() : p->v.a; }
kernel void k(device float *out) {
  device n::Node<Pair> *p = (device n::Node<Pair> *)(out + 8);
  p[1].v = Pair{3, 4};
  p->v.a = 5;
  out[0] = follow(p, 1); // = 7
  out[1] = follow(p, 0); // = 5
}
