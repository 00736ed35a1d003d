#include <metal_stdlib>
using namespace metal;

struct S { int a; float b; };
struct dd {
    float hi, lo;
    dd(float h = 0, float l = 0) : hi(h), lo(l) {}
    explicit dd(float x) : hi(x), lo(0) {}
};
constant dd ZERO = dd(0.0f, 0.0f); // ### not known when compiling: dd::dd is not constexpr
float f(float x);
float g(float x, int y); // no body, not called

int missing(int x) { } // ### missing returns nothing
int maybe(int x) { if (x > 0) return 1; } // ### may end without returning

kernel void k(device float *out [[buffer(0)]], constant S &s [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    float acount = 0;
    acont += 1; // ### acont is not declared; did you mean acount\?
    out[i] = s.c; // ### S has no member c
    s.a = 1; // ### what is in constant cannot be changed
    const int c = 4;
    c = 3; // ### it is const
    thread float *p = out; // ### cannot be converted to thread float\*: it points into device, not into thread
    dd x(1.0f); // ### the call of dd\(float\) is ambiguous
    S t = 3; // ### int cannot be converted to S
    g(1); // ### takes 2 arguments, not 1
    float4 w = float4(1, 2, 3); // ### made of 4 components, not of 3
    w.xyz = 1; // not judged: its declaration is wrong
    float4 v = 0;
    v.xq = 1; // ### has no component
    v.xx = float2(1); // ### needs an lvalue
    int q = v; // ### float4 cannot be converted to int
    undefinedfn(1); // ### undefinedfn is not declared
    threadgroup_barier(mem_flags::mem_none); // ### did you mean threadgroup_barrier\?
    double d = 1; // ### double
    break; // ### break stands in no loop
    if (v > 1) {} // ### several truth values
    static int st = 0; // ### static local variables
}
// ------
kernel void k(device float *out [[buffer(0)]]) {
    const int c = 4;
    auto l = [](int x) { return x; }; // ### lambdas
    int arr[3] = {1, 2, 3, 4}; // ### too many values
    int m = "abc"; // ### char\[4\] cannot be converted to int
    switch (c) { case 1: break; case 1: break; } // ### this case stands twice
    return 1; // ### returns nothing
}
// ------
#include <metal_stdlib>
using namespace metal;
float even(float x);
float odd(float x) { return x > 0 ? even(x - 1) : 0; }
float even(float x) { return x > 0 ? odd(x - 1) : 1; }
kernel void k(device float *out) { out[0] = odd(3); }
// ------
float undefined(float x);
kernel void k(device float *out) { out[0] = undefined(1); } // ### undefined is called but defined nowhere
// ------
kernel void k(device float *out [[buffer(0)]], float x) {} // ### passed by value and has no attribute
kernel int k2(device float *out [[buffer(0)]]) { return 1; } // ### a kernel returns void
kernel void k3(thread float *out [[buffer(0)]]) {} // ### points into thread
kernel void k4(device float *out [[buffer(31)]]) {} // ### the index of a buffer is 0 to 30
kernel void k5(device float *a [[buffer(1)]], device float *b [[buffer(1)]]) {} // ### another parameter's already
kernel void k6(device float *a, int i [[thread_position_in_grid]]) {} // ### is a uint or ushort
kernel void k7(device float *a, uint2 i [[thread_index_in_threadgroup]]) {} // ### is one number
kernel void k8(device float *a, uint2 i [[thread_position_in_grid]], uint3 n [[grid_size]]) {} // ### different numbers of components
kernel void k9(threadgroup float *a [[buffer(0)]]) {} // ### write \[\[threadgroup\(0\)\]\]
struct B { device float *x; };
kernel void k10(constant B &b) {}
kernel void k11(device float *a) { int x = max(1, 2); } // ### write metal::max, or using namespace metal
kernel void k11(device float *a) {} // ### defined twice
