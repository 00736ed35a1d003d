// Structs with constructors, operators and methods.
#include <metal_stdlib>
using namespace metal;

// Double-double arithmetic. Only sums whose parts are exact are used here.
#pragma METAL fp math_mode(safe)
#pragma METAL fp contract(off)
struct dd {
    float hi, lo;
    dd() thread : hi(0), lo(0) {}
    explicit dd(float h) : hi(h), lo(0) {}
    dd(float h, float l) : hi(h), lo(l) {}
    dd operator-() const { return dd(-hi, -lo); }
    thread dd &operator+=(dd b) {
        *this = *this + b;
        return *this;
    }
    friend dd operator+(dd a, dd b);
    bool operator<(thread const dd &b) const { return hi < b.hi || (hi == b.hi && lo < b.lo); }
};
static dd two_sum(float a, float b) {
    float s = a + b;
    float t = s - a;
    return dd(s, (a - (s - t)) + (b - t));
}
inline dd quick_two_sum(float a, float b) {
    float s = a + b;
    return {s, b - (s - a)};
}
inline dd two_prod(float a, float b) {
    float p = a * b;
    return dd(p, fma(a, b, -p));
}
inline dd operator+(dd a, dd b) {
    dd s = two_sum(a.hi, b.hi);
    s.lo += a.lo + b.lo;
    return quick_two_sum(s.hi, s.lo);
}
inline dd operator*(dd a, dd b) {
    dd p = two_prod(a.hi, b.hi);
    p.lo += a.hi * b.lo + a.lo * b.hi;
    return quick_two_sum(p.hi, p.lo);
}
inline dd operator-(dd a, dd b) { return a + (-b); }
// run dd_sum threads=1 0=float[0x1p24 1 1 0x1p-20] 1=float*2 -> 1=float[0x1.000002p24 0x1p-20]
kernel void dd_sum(device const float *x, device float2 *out) {
    dd s;
    for (int i = 0; i < 4; i++) s += dd(x[i]);
    out[0] = float2(s.hi, s.lo);
}
// run dd_prod threads=1 0=float[0x1.000002p0 0x1.000002p0] 1=float*2 2=int*1 -> 1=float[0x1.000004p0 0x1p-46] 2=int[1]
kernel void dd_prod(device const float *x, device float2 *out, device int *less) {
    const dd p = dd(x[0]) * dd(x[1]);
    out[0] = float2(p.hi, p.lo);
    dd q = p - dd(1.0f);
    less[0] = q < p ? 1 : 0;
}

// Overloads by address space, methods with trailing qualifiers.
struct Counter {
    uint n;
    void bump(uint by = 1) thread { n += by; }
    void bump(uint by = 1) device { n += 10 * by; }
    uint get() const thread { return n; }
    uint get() const device { return n + 1000; }
};
// run counters threads=1 0=uint[5] 1=uint*3 -> 0=uint[25] 1=uint[8 1025 3]
kernel void counters(device Counter *c, device uint *out) {
    Counter local = {5};
    local.bump();
    local.bump(2);
    c->bump(2);
    out[0] = local.get();
    out[1] = c[0].get();
    thread Counter *p = &local;
    p->n = 2;
    (*p).bump();
    out[2] = p->get();
}

// Nested structs, arrays in structs, copies, comparison of copies, struct results.
struct Inner {
    ushort a;
    uchar b[3];
};
struct Outer {
    Inner x[2];
    float2 v;
};
Outer make(uint seed) {
    Outer o = {};
    for (uint i = 0; i < 2; i++) {
        o.x[i].a = ushort(seed + i);
        for (uint j = 0; j < 3; j++) o.x[i].b[j] = uchar(seed * 10 + i * 3 + j);
    }
    o.v = float2(seed, -float(seed));
    return o;
}
// run copies threads=2 0=uchar*48 1=uint*2 -> 0=ushort[0]uchar[0 1 2 0]ushort[1]uchar[3 4 5 0 0 0 0 0]float[0 -0]ushort[1]uchar[10 11 12 0]ushort[2]uchar[13 14 15 0 0 0 0 0]float[1 -1] 1=uint[5 16]
kernel void copies(device Outer *out, device uint *sum, uint i [[thread_position_in_grid]]) {
    Outer o = make(i);
    out[i] = o;
    Outer c = out[i];
    sum[i] = c.x[1].a + c.x[1].b[1] + (c.x[0].a == i ? 0 : 1000);
}

// Conversion operators, operator[], operator(), static methods, namespaces, enums.
namespace field {
constant uint P = 17;
enum Mode : uint { Plain, Double = 4, Triple };
enum class Side { Left, Right };
struct Fp {
    uint v;
    Fp() = default;
    constexpr Fp(uint x) : v(x % P) {}
    operator uint() const { return v; }
    Fp operator+(const thread Fp &o) const {
        uint s = v + o.v;
        return Fp(s >= P ? s - P : s);
    }
    uint operator[](int bit) const { return (v >> bit) & 1; }
    uint operator()(Mode m) const { return m == Triple ? v * 3 : m == Double ? v * 2 : v; }
    static Fp zero() { return Fp(0); }
};
}  // namespace field
// run fp threads=1 0=uint*6 -> 0=uint[13 1 39 26 7 5]
kernel void fp(device uint *out) {
    using namespace field;
    Fp a(30), b = 17u;
    Fp s = a + b + Fp::zero();
    out[0] = s;
    out[1] = s[2];
    out[2] = s(Triple);
    out[3] = s(Mode::Double);
    Side side = Side::Right;
    out[4] = side == Side::Right ? 7 : 8;
    out[5] = Triple;
}

// References as results and as local names; swap; out-parameters.
template <typename T> void swap_them(thread T &a, thread T &b) {
    T t = a;
    a = b;
    b = t;
}
thread int &larger(thread int &a, thread int &b) { return a > b ? a : b; }
// run refs threads=1 0=int*4 -> 0=int[9 3 100 7]
kernel void refs(device int *out) {
    int a = 3, b = 9;
    swap_them(a, b);
    out[0] = a;
    out[1] = b;
    larger(a, b) = 100;
    out[2] = a;
    int4 v = int4(1, 2, 3, 4);
    thread int4 &r = v;
    r.y += r.w;
    r.xz = r.zx;
    out[3] = v.x * 0 + v.y + v.z;
}

// Unions and as_type.
union Bits {
    float f;
    uint u;
};
// run bits threads=2 0=float[1 -2] 1=uint*4 -> 1=uint[0x3f800000 0xc0000000 0x3f80 0xc000]
kernel void bits(device const float *x, device uint *out, uint i [[thread_position_in_grid]]) {
    Bits b;
    b.f = x[i];
    out[i] = b.u;
    ushort2 h = as_type<ushort2>(x[i]);
    out[i + 2] = h.y + h.x;
}
