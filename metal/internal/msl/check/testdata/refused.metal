#include <metal_stdlib>
using namespace metal;
struct V { virtual float f() { return 1; } }; // ### virtual functions ### virtual functions
struct R { thread float &&r; }; // ### members that are references to values
struct Bits { uint a : 3; }; // ### bit-fields
struct A { int a; }; struct B { int b; };
struct AB : A, B { int c; }; // ### several base classes
vertex float4 vmain(uint i [[vertex_id]]) { return float4(i); } // ### vertex functions
struct Dtor { int a; ~Dtor() { a = 1; } }; // ### destructors
void tex(texture2d_ms<float, access::read> t) {} // ### multisampled textures
void cube(texturecube<float> t) {} // ### cube textures
void depth(depth2d<float> t) {} // ### depth textures
void longs(texture2d<ulong, access::read> t) {} // ### a texture holds float, half, int, uint, short or ushort
void large(simdgroup_matrix<float, 16, 16> m) {} // ### a simdgroup matrix has 8 columns and 8 rows .in metal
void whole(matrix<int, 2, 2> m) {} // ### a matrix has 2 to 4 columns and rows of float, half or bfloat
constexpr sampler compares(compare_func::less); // ### comparison samplers
void border(texture2d<float> t) { constexpr sampler s(address::clamp_to_border, border_color::opaque_white); } // ### clamp_to_border
void fp(void (*f)(int)) {} // ### function pointers
long double ld() { return 1; } // ### .
template <template <typename> class T> struct TT { T<int> t; }; // ### template template parameters
constant packed_float2 fc2 [[function_constant(7)]]; // ### a function constant is a scalar or a vector, not packed_float2
uint pos [[thread_position_in_grid]]; // ### positions of threads outside parameters
// ------
#include <metal_stdlib>
using namespace metal;
float helper(float x) { return x; }
template <typename... Rest> int sum(Rest... rest, int a) { return a; } int sum3() { return sum(3); } // ### packs of parameters before others
kernel void k(device float *out [[buffer(0)]], constant float *(&arr)[2] [[buffer(1)]]) { // ### the parameter arr of a kernel points into thread
    double d = 1.0; // ### double
    long long l = 1; // ### long long
    auto f = &helper; // ### function pointers
    auto lam = [](int x) { return x; }; // ### lambdas
    static int s; // ### static local variables
    ulong addr = (ulong)out; // ### casts between pointers and integers
    thread int *v = new int; // ### .
    goto end; // ### .
    float arr2[2];
    for (auto x : out) {} // ### for over what is not an array
}
// ------
kernel void k(device float *out [[buffer(0)]], array<threadgroup float *, 2> arr [[threadgroup(0)]]) {} // ### arrays of what is no pointer into device or constant memory
// ------
template <typename T> struct S { T f(T x); template <typename U> U g(U x); };
template <typename U> U S<U>::f(U x) { return x; } // ### other names of template parameters
template <typename T> int S<T>::h(T x) { return 1; } // ### S has no method h of this form
struct Base { int a; Base(int x) : a(x) {} };
struct Derived : Base { using Base::Base; }; // ### inherited constructors
kernel void k(device float *out [[buffer(0)]]) {
    threadgroup auto *p = out; // ### does not point into threadgroup
    auto *q = 1; // ### auto \* needs a pointer
}
