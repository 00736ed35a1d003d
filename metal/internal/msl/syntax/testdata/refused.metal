#include <metal_stdlib>
using namespace metal;
thread_local int t;                               // ### thread_local
template <typename... Ts> int count() { return sizeof...(3); } // ### expected the name of a pack
template <typename... Ts> int sum2(Ts... xs) { return (... ? xs); } // ### expected the operator of a fold
template <typename... Ts> int sum3(Ts... xs) { return (0 + ... - xs); } // ### one operator: \+ and -
template <typename T> void d() { T::type x; }     // ### write typename before it
void g(float x) {
  delete x;                                       // ### delete
  asm("nop");                                     // ### asm
  dynamic_cast<int>(x);                           // ### dynamic_cast
  typeid(x);                                      // ### typeid
  auto [a, b] = x;                                // ### structured bindings
  float2 v(float(x), float(x));                   // ### functions declared in functions
  Unknown<float> y;                               // ### not a template that is known
  unknown<float2>(x);                             // ### unknown is not a template that is known
  x.unknown<int, float>(x);                       // ### unknown is not a template that is known
  float q[4] = {[0 ... 3] 0};                     // ### expected the body of a lambda
  float r[4] = {[1].x[2] : 0};                    // ### expected = after a designator
  switch (x) { case 1 ... 3: break; }             // ### ranges in case
  S s = {.x};                                     // ### expected = after a designator
  unsigned float z;                               // ### no type is named
}
