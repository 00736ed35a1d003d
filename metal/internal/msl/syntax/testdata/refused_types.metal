#include <metal_stdlib>
using namespace metal;
device threadgroup float *two;                    // ### two address spaces
int S::*pm;                                       // ### pointers to members
struct A { float f() override; };                 // ### virtual functions
struct B : virtual A {};                          // ### virtual base classes
struct C { float f() &; };                        // ### reference qualifiers
struct D { int a : 3, : 2; };                     // ### bit-fields
float operator ""_x(float);                       // ### user-defined literals
decltype(auto) e = 1;                             // ### decltype\(auto\)
device thread constant float *three;              // ### two address spaces
int f(int a, ...);                                // ### variadic functions
extern template struct A<int>;                    // ### extern template
template <typename T> requires true struct R {};  // ### concepts
template <typename T> int a, b;                   // ### declares one thing
template <typename T> namespace x {}              // ### a namespace cannot stand here
inline void g(float x) {
  while (int y = x) {}                            // ### declarations in the condition of while
  switch (int y = x; y) {}                        // ### declarations in the condition of switch
  for (; int y = x;) {}                           // ### declarations in the condition of for
  int z = ({ 1; });                               // ### statements within expressions
}
