#include <metal_stdlib>
using namespace metal;
}                                      // ### this } closes nothing
int;                                   // ### declares nothing
static;                                // ### declare nothing
f(int x) { return x; }                 // ### expected a name, found \(
template <typename T U> struct S {};   // ### expected , or > in a list of template parameters, found U
struct { int x };                      // ### expected ; after the declaration, found }
enum E { a b };                        // ### expected , or } in an enumeration, found b
struct G { public int x; };            // ### expected : after public, found the word int
using x = ;                            // ### expected a type, found ;
typedef int;                           // ### declares nothing
float operator(float a);               // ### expected \) after operator
int y[3;                               // ### expected \] after the length of an array, found ;
int z = sizeof(;                       // ### expected an expression, found ;
