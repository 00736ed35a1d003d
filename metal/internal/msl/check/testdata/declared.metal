#include <metal_stdlib>
using namespace metal;
template <typename T> struct S;
template <typename T> struct Q;
template <typename T> struct R;
static void named(thread S<float> *p, thread Q<float> *q, thread R<int> *r, thread R<char> *c) {
  S<float> s; // ### S<float> is declared, but not defined here
  p->x = 1; // ### S<float> is declared, but not defined here
}
template <> struct Q<float>;
template <typename T> struct Q { T x; };
static void twice(thread Q<float> *q) {
  q->x = 1; // ### Q<float> is declared, but not defined here
}
template <typename T> struct S { T x; };
template <> struct S<float> { int y; }; // a specialisation of what was only named
template <typename T> struct R { T x; T bad[sizeof(T) - 2]; }; // ### .*
template <typename T> struct S { T x; }; // ### S is defined twice
static void later(thread S<float> *p, thread R<int> *r, thread R<char> *c) {
  p->y = 1;
  p->x = 1; // ### S<float> has no member x
  r->x = 1;
  c->x = 1;
}
template <> struct S<float> { int z; }; // ### S<float> is specialised after it was used or defined
