#include <metal_stdlib>
using namespace metal;
float f(int a { return a; }              // ### expected , or \) in a list of parameters, found \{
int x = ;                                // ### expected an expression, found ;
int y = 3 4;                             // ### expected ; after the declaration, found 4
struct S {
  int a b;                               // ### expected ; after the declaration, found b
  int c;
  virtual void v();                      // ### not supported.*
  float g() { return c +; }              // ### expected an expression, found ;
  void p() = 0;                          // ### virtual
};
kernel void k(device float *o [[buffer(0)]) { o[0] = 1; } // ### expected \] after attributes, found \)
kernel void bad(uint i) {
  int a = 1
  a = 2;                                 // ### expected ; after the declaration, found a
  for (int j = 0 j < 3; ++j) { a = 1; }  // ### expected ; after the declaration in for, found j
  if (a { a = 3; }                       // ### expected \) after the condition of if
  goto end;                              // ### goto
  end: a = 2;                            // ### goto
  try { a = 1; } catch (int e) {}        // ### exceptions
  throw 1;                               // ### exceptions
  int *n = new int;                      // ### new
  a = 1;
  #pragma METAL fp contract(off) // ### must stand first in its braces
  a = 2;
}
