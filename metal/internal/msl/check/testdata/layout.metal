#include <metal_stdlib>
using namespace metal;
struct A { char c; float f; };
struct B { float3 v; float w; };
struct C { packed_float3 v; float w; };
struct alignas(32) D { float x; };
struct E { A a[3]; half h; };
union U { float4 v; char c[20]; };
struct F { bool b; ulong l; ushort s; };
struct G : A { char d; };
struct H {};
struct I { array<half, 3> a; uchar3 b; };
template <typename T> struct J { T t; char c; };
struct K { packed_half3 a; bfloat2 b; atomic_uint n; device float *p; };
enum class S : uchar { a };
static_assert(sizeof(A) == 8 && alignof(A) == 4);
static_assert(sizeof(B) == 32 && alignof(B) == 16);
static_assert(sizeof(C) == 16 && alignof(C) == 4);
static_assert(sizeof(D) == 32 && alignof(D) == 32);
static_assert(sizeof(E) == 28 && alignof(E) == 4);
static_assert(sizeof(U) == 32 && alignof(U) == 16);
static_assert(sizeof(F) == 24 && alignof(F) == 8);
static_assert(sizeof(G) == 12 && sizeof(H) == 1);
static_assert(sizeof(I) == 12 && alignof(I) == 4);
static_assert(sizeof(J<quadruple>) == 1); // ### quadruple is not declared
static_assert(sizeof(J<float3>) == 32 && sizeof(J<char>) == 2 && sizeof(J<A>) == 12);
static_assert(sizeof(K) == 24);
static_assert(sizeof(S) == 1 && sizeof(S::a) == 1 && sizeof('a' + 1) == 4 && sizeof(A[2]) == 16 && sizeof(bool4) == 4);
static_assert(is_same_v<decltype(S::a), S> && !is_same_v<S, uchar>);
static_assert(sizeof(A) == 9, "size"); // ### static_assert failed: size
struct P1 { char c; alignas(16) float x; char d; alignas(2) float y; };
static_assert(sizeof(P1) == 32 && alignof(P1) == 16);
struct P3 { alignas(3) float x; }; // ### an alignment is a power of two up to 65536, not 3
struct P4 { __attribute__((packed)) float x; }; // ### packed members
struct __attribute__((packed)) P2 { char c; float x; }; // ### packed structs
kernel void k(device float *o, uint i [[thread_position_in_gird]]) {} // ### attribute thread_position_in_gird, which is not known
