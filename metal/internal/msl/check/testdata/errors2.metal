#include <metal_stdlib>
using namespace metal;
struct P { float x; float get() const { return x; } void set(float v) { x = v; } };
struct Q { int a; private: int b; };
namespace n { float in_n(float x) { return x; } struct T {}; float adl(T) { return 1; } }
enum class E { a, b };
float two(int a, float b) { return 1; }
float two(float a, int b) { return 2; }
void takes(thread float &x) {}
void takesc(const thread float &x) {}
void takesd(device float &x) {}
template <typename T> T same(T a, T b) { return a; }
template <typename T> struct Tmp { T a; static_assert(sizeof(T) == 4, "four bytes"); };
constant int notinit; // ### is a constant and needs an initialiser
int global = 1; // ### write constant in front
const int global2 = 1; // ### write constant in front
threadgroup float tgg[2]; // ### declare it within a kernel
constant int loop = loop + 1; // ### used in its own initialiser
int dup(int a) { return a; }
float dup(int a) { return a; } // ### dup is defined twice
float dup2(int a);
int dup2(int a); // ### differs from its declaration
struct P { int y; }; // ### P is defined twice
static_assert(1 + 1 == 3, "sum"); // ### static_assert failed: sum
static_assert(1 / 0 == 1); // ### division by zero
// ------
#include <metal_stdlib>
using namespace metal;
struct P { float x; float get() const { return x; } void set(float v) { x = v; } };
namespace n { float in_n(float x) { return x; } struct T {}; float adl(T) { return 1; } }
enum class E { a, b };
float two(int a, float b) { return 1; }
float two(float a, int b) { return 2; }
void takes(thread float &x) {}
void takesc(const thread float &x) {}
void takesd(device float &x) {}
template <typename T> T same(T a, T b) { return a; }
kernel void k(device float *out [[buffer(0)]], device P *ps, constant P &cp) {
    two(1, 1); // ### the call of two\(int, int\) is ambiguous; candidates
    in_n(1); // ### in_n is not declared
    adl(n::T());
    n::in_n(2);
    E e = 1; // ### int cannot be converted to E
    int i = E::a; // ### E cannot be converted to int
    takes(out[0]); // ### it is in device, not in thread
    takes(1.0f); // ### a value cannot be bound
    takesc(1.0f);
    takesc(out[0]); // ### it is in device, not in thread
    takesd(out[0]);
    ps[0].get(); // ### the object is in device, and the method is for thread
    P p;
    p.set(1);
    const P q = p;
    q.set(1); // ### the object is const, and the method is not
    same(1, 1.0f); // ### would be int and float
    Nope<int> t; // ### .
    out->x; // ### float
    out.x; // ### is a pointer
    p->x; // ### -> needs a pointer
    5 = 6; // ### needs an lvalue
    float x[2]; x = x; // ### not assigned as a whole
}
// ------
#include <metal_stdlib>
using namespace metal;
enum class E { a, b };
template <typename T> struct Tmp { T a; static_assert(sizeof(T) == 4, "four bytes"); }; // ### static_assert failed: four bytes \(in Tmp<char>
template <typename T> float bad(T x) { return x.foo; } // ### float has no member foo \(in bad<float>
template <int N> struct Rec { static constexpr constant int v = Rec<N + 1>::v; }; // ### more than 256 deep
template <typename T> float onlyptr(device T *x) { return 1; }
kernel void k(device float *out [[buffer(0)]], device atomic_uint *a) {
    Tmp<char> t; // the error stands in the template
    float v = Rec<0>::v;
    bad(1.0f);
    onlyptr(1); // ### does not have the form
    uint n = *a; // ### atomic_load_explicit
    *a = 1; // ### atomic_store_explicit
    bool b = E::a == 1; // ### no operator == takes E and int
    int i = 1 % 2.0f; // ### .
    float4 f = float4(1) + float3(1); // ### .
    half h = 1.0h; bfloat bf = bfloat(1.0f);
    auto m = h + bf; // ### .
    uint nn = 1;
    int arr[nn]; // ### the length of an array is not known when compiling
    int arr2[0]; // ### at least 1
    out[3](2); // ### is not a function
    continue; // ### in no loop
    const int c; // ### needs an initialiser
    thread const int &r = 5;
    thread int &r2; // ### needs an initialiser
    case 3: // ### .
    ;
}
// ------
#include <metal_stdlib>
using namespace metal;
constant bool fc [[function_constant(0)]];
constant bool fc2 [[function_constant(0)]]; // ### function constant 0 is fc already
constant bool fc3 [[function_constant(1)]] = true; // ### is set by the host
kernel void k(device float *out [[buffer(0)]]) {
    static_assert(fc); // ### function constant fc is set by the host
    int x = fc ? 1 : 2;
    switch (x) { case fc: break; } // ### the value of a case is not known
    const int y = 2;
    int arr[y];
    arr[2] = 1; // ### warning: index 2 is outside
}
// ------
struct Expl { float x; explicit Expl(float v) : x(v) {} };
struct Impl { float x; Impl(float v) : x(v) {} };
struct Two { Two(Impl a) {} Two(Expl b) {} };
void takesExpl(Expl i) {}
void takes(thread float &x) {}
void takesp(thread float *x) {}
Expl listed() { return {1.0f}; } // ### is explicit
float conv(Expl e) { return e; } // ### Expl cannot be converted to float
kernel void k(device float *o) {
    const float c = 1;
    takes(c); // ### it is const
    takesp(&c); // ### it points to what is const
    takesExpl(1.0f); // ### float is not for Expl
    Expl e2 = 1.0f; // ### float cannot be converted to Expl
    Expl e3{1.0f};
    device const float *p = o;
    p[0] = 1; // ### it is const
    device float *q = p; // ### it points to what is const
    thread const float &r = o[0]; // ### it is in device, not in thread
    const device float &s = o[0];
    s += 1; // ### it is const
    o = o + o; // ### no operator \+ takes
    o * 2; // ### no operator \* takes
    float4 v;
    takes(v.x); // ### a part of a vector
    thread float *pv = &v.y; // ### a part of a vector has no address
    device float *dd = (device float *)&c; // ### a cast does not change the address space
    float x = *2; // ### needs a pointer
    int sh = 1 << 2.0f; // ### .
    float y = c(1); // ### is not a function
    int z = k; // ### a function can only be called
    k(o); // ### is a kernel, which cannot be called
}
