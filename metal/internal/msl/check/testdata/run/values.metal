// scalars
#include <metal_stdlib>
using namespace metal;
enum E { e0, e1 = 5, e2 };
enum class F : short { a = -2, b };
constant float tab[3] = {1.5f, -2.0f};
constant int2 iv = int2(3, 4);
constexpr int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
constant int f10 = fib(10);
float over(float x) { return 1; }
float over(int x) { return 2; }
float over(uint x) { return 3; }
float over(half x) { return 4; }
float spacef(device float *p) { return 1; }
float spacef(thread float *p) { return 2; }
float spacef(threadgroup float *p) { return 3; }
float spacef(constant float *p) { return 4; }
kernel void k(device float *out, device const float *in) {
    char c = -1;
    uchar uc = 255;
    out[0] = c + uc; // = 254
    out[1] = c < 0u; // = 0
    out[2] = (ushort)65535 + (ushort)1; // = 65536
    out[3] = 7 / 2 * 2.0f; // = 6
    out[4] = -7 % 3; // = -1
    out[5] = 1 << 4 | 1; // = 17
    out[6] = 0xffffffff + 1; // = 0
    out[7] = 4294967295 + 1; // = 4294967296
    out[8] = e2 + 1; // = 7
    out[9] = float(F::b); // = -1
    out[10] = tab[0] + tab[1] + tab[2]; // = -0.5
    out[11] = iv.y; // = 4
    out[12] = f10; // = 55
    out[13] = over(1) * 10 + over(1u); // = 23
    out[14] = over(1.0h) + over(c); // = 6
    float loc = 1;
    threadgroup float sh[2];
    out[15] = spacef(out) * 1000 + spacef(&loc) * 100 + spacef(sh) * 10 + spacef(tab); // = 1234
    short s = 32767;
    s += 1;
    out[16] = s; // = -32768
    uint u = 3;
    u -= 4;
    out[17] = u > 100; // = 1
    int i = 5;
    int j = i++ + ++i;
    out[18] = j * 10 + i; // = 127
    out[19] = (i = 3, i + 1); // = 4
    float4 v = float4(1, 2, 3, 4);
    v.xz = v.zx;
    out[20] = v.x * 10 + v.z; // = 31
    v.yw *= 2;
    out[21] = v.y * 10 + v.w; // = 48
    float3 w = v.xyz + 1;
    out[22] = dot(w, float3(1, 10, 100)); // = 254
    out[23] = any(w > 4) ? 1 : 0; // = 1
    bool3 b = w > float3(3.5f) && w < 100;
    out[24] = b.x + b.y * 2 + b.z * 4; // = 3
    int a[2][3] = {{1, 2, 3}, {4, 5, 6}};
    thread int *p = a[1];
    out[25] = p[2] * 10 + *p; // = 64
    p++;
    p += 1;
    out[26] = *p-- + *p; // = 11
    out[27] = p - a[1]; // = 1
    out[28] = in[3] + *(in + 4); // = 7
    half h = 0.1h;
    out[29] = h; // = 0.0999755859375
    out[30] = 16777217; // = 16777216
    out[31] = (0.1f + 0.2f) * 1e1f; // = 3
    out[32] = sizeof(float3) + sizeof(packed_float3) + alignof(int2); // = 36
    int q = 0;
    switch (i) { case 1: q = 1; case 3: q += 10; case 4: q += 100; break; default: q = 1000; }
    out[33] = q; // = 110
    int n = 0;
    for (int x = 0, y = 10; x < y; x++, y--) n += y - x;
    out[34] = n; // = 30
    do { n -= 7; if (n < 5) break; } while (n > 0);
    out[35] = n; // = 2
    long big = 0x100000000;
    out[36] = big >> 30; // = 4
    out[37] = ulong(1) << 40; // = 1099511627776
    out[38] = 'a' + '\n'; // = 107
    out[39] = i > 2 ? 1.5f : 2; // = 1.5
    (i > 2 ? i : q) = 9;
    out[40] = i; // = 9
    out[41] = as_type<uint>(1.0f); // = 1065353216
    out[42] = !i + !0; // = 1
    out[43] = ~5; // = -6
    uchar4 u4 = uchar4(200, 100, 1, 2);
    u4 += uchar4(100);
    out[44] = u4.x; // = 44
    out[45] = (u4 << 1).x; // = 88
    int2 i2 = int2(float2(2.7f, -2.7f));
    out[46] = i2.x * 10 + i2.y; // = 18
    out[47] = v[1] + w[i2.x]; // = 6
    float4 z = {1, 2, 3, 4};
    z = z.wzyx;
    out[48] = z.x * 1000 + z.y * 100 + z.z * 10 + z.w; // = 4321
    bool t = 0.5f;
    t = t && in[1];
    out[49] = t; // = 1
    out[50] = min(3, 4) + max(2.5f, 1.0f) + clamp(5, 0, 3); // = 8.5
    out[51] = 010 + 0b11 + 1'000; // = 1011
    packed_float3 pf = packed_float3(1, 2, 3);
    pf.y += 5;
    float3 uf = pf;
    out[52] = uf.y + pf[2]; // = 10
    array<int, 3> m = {1, 2, 3};
    array<int, 3> m2 = m;
    m2[0] = 7;
    out[53] = m[0] * 100 + m2[0] * 10 + m2.size(); // = 173
    const auto &r = m[2];
    out[54] = r; // = 3
    for (thread auto &e : m) e *= 2;
    out[55] = m[0] + m[1] + m[2]; // = 12
    if (int y = i - 8; y > 0) { out[56] = y; } // = 1
    out[57] = -2.5f - -1; // = -1.5
    out[58] = 5 & 3 ^ 1; // = 0
    int idx[3] = {0, 1, 2};
    int kk = 0;
    idx[kk++] = 5;
    idx[kk++] += 5;
    out[59] = idx[0] * 100 + idx[1] * 10 + kk; // = 562
    out[60] = 3 > 2 > 1; // = 0
}
// ------
// classes
#include <metal_stdlib>
using namespace metal;
namespace math {
struct dd {
    float hi, lo;
    constexpr dd() : hi(0), lo(0) {}
    constexpr dd(float h) : hi(h), lo(0) {}
    constexpr dd(float h, float l) : hi(h), lo(l) {}
    dd operator+(dd b) const { return dd(hi + b.hi, lo + b.lo); }
    dd operator-() const { return {-hi, -lo}; }
    thread dd &operator*=(float s) { hi *= s; lo *= s; return *this; }
    thread dd &operator++() { hi += 1; return *this; }
    dd operator++(int) { dd o = *this; hi += 1; return o; }
    float operator[](int i) const { return i == 0 ? hi : lo; }
    float operator()(float a, float b = 10) const { return hi * a + b; }
    explicit operator float() const { return hi + lo; }
    bool operator==(dd o) const { return hi == o.hi && lo == o.lo; }
    float get() const thread { return 1; }
    float get() const device { return 2; }
    float get() const constant { return 3; }
    float get() const threadgroup { return 4; }
    static dd make(float x) { return dd(x, x); }
    static constexpr constant int digits = 48;
};
dd operator*(dd a, dd b) { return dd(a.hi * b.hi, a.lo * b.lo); }
bool operator<(dd a, dd b) { return a.hi < b.hi; }
float tag(dd) { return 7; }
float norm(thread const dd &a) { return a.hi * a.hi; }
void out2(thread dd &a, thread float *p) { a.hi = 5; *p = 6; }
}
constant math::dd ZERO = math::dd(1.5f, 2);
struct Base { int a = 3; int f() { return a * 2; } int g() const { return 1; } };
struct Derived : Base { int b; int g() const { return 2 + Base::g(); } };
struct Def { int x = 4; float2 v = float2(1, 2); int y; };
struct Conv { int v; operator int() const { return v; } };
struct Member { math::dd d; int n; Member(float x) : n(3), d(x, 1) {} Member() : Member(9) {} };
union U { float f; uint u; };
struct Anon { union { float f; uint u; }; int n; };
struct Copy { int n; Copy() { n = 1; } Copy(thread const Copy &o) { n = o.n + 1; } };
int copied(Copy c) { return c.n; }
template <typename T> struct Vec2 { T x, y; T sum() const { return x + y; } template <typename U> Vec2<U> as() const { return Vec2<U>{U(x), U(y)}; } };
template <typename T> Vec2<T> operator+(Vec2<T> a, Vec2<T> b) { return {a.x + b.x, a.y + b.y}; }
float fsum(thread Conv &c, int a = 1, int b = 2) { return c.v + a * 10 + b * 100; }
kernel void k(device float *out, device math::dd *buf) {
    using namespace math;
    dd a(1, 2), b = 3.0f, c{4, 5}, d = {6, 7};
    out[0] = (a + b).hi + (a + 1.0f).lo; // = 6
    out[1] = float(-c); // = -9
    a *= 2;
    (a *= 2) *= 2;
    out[2] = a.hi * 10 + a.lo; // = 96
    out[3] = d[1] + c(2) + c(2, 1); // = 34
    dd e = a++;
    ++a;
    out[4] = e.hi + a.hi * 100; // = 1008
    out[5] = (a == a) + (e < a) * 2; // = 3
    out[6] = tag(3.0f) + norm(dd(3)); // = 16
    threadgroup dd tg[1];
    tg[0] = a;
    buf[0] = a;
    out[7] = a.get() * 1000 + buf[0].get() * 100 + ZERO.get() * 10 + tg[0].get(); // = 1234
    float q = 0;
    out2(a, &q);
    out[8] = a.hi * 10 + q; // = 56
    out[9] = ZERO.hi + dd::make(2).lo + dd::digits; // = 51.5
    Derived r;
    r.b = 1;
    out[10] = r.f() * 100 + r.g() * 10 + r.a; // = 633
    Def df;
    out[11] = df.x + df.v.y; // = 6
    Def dg = {1};
    out[12] = dg.x * 100 + dg.v.x * 10 + dg.y; // = 110
    Conv cv = {12};
    out[13] = cv + 1; // = 13
    int arr[20];
    arr[12] = 8;
    out[14] = arr[cv]; // = 8
    Member m(2), m2;
    out[15] = m.d.hi * 100 + m.d.lo * 10 + m2.d.hi; // = 219
    U u;
    u.f = 1.0f;
    out[16] = u.u; // = 1065353216
    Anon an;
    an.u = 0x40000000;
    an.n = 1;
    out[17] = an.f + an.n; // = 3
    Copy cp;
    Copy cq = cp;
    out[18] = cp.n + cq.n * 10 + copied(cq) * 100; // = 321
    Vec2<int> vi = {1, 2};
    auto vs = vi + Vec2<int>{3, 4};
    out[19] = vs.sum() * 10 + vs.template as<float>().x; // = 104
    out[20] = fsum(cv) + fsum(cv, 0); // = 434
    thread dd *pd = &a;
    pd->lo = 4;
    (*pd).hi = 2;
    out[21] = pd->lo + a.hi; // = 6
    dd two[2] = {dd(1), {2, 3}};
    out[22] = two[1].lo + two[0].hi; // = 4
    dd zero[2];
    out[23] = zero[1].hi; // = 0
    out[24] = (b + c * d).hi; // = 27
    struct { int z; } an2 = {5};
    out[25] = an2.z; // = 5
    dd cond = q > 3 ? a : dd(0);
    out[26] = cond.hi; // = 2
    Conv c2 = Conv{3};
    c2 = {4};
    out[27] = c2 * 2.5f; // = 10
    float fl = cv;
    out[28] = fl; // = 12
    switch (cv) { case 12: out[29] = 1; break; default: out[29] = 2; } // = 1
    dd chain;
    chain = e = dd(8, 9);
    out[30] = chain.lo + e.hi; // = 17
    auto lam = a.hi > 1 && !(a == e);
    out[31] = lam; // = 1
}
// ------
// templates
#include <metal_stdlib>
using namespace metal;
template <typename T> float kind(T) { return 0; }
template <typename T> float kind(device T *) { return 1; }
template <typename T> float kind(device const T *) { return 2; }
template <> float kind<int>(int) { return 3; }
float kind(float) { return 4; }
template <typename T, int N> float kind(vec<T, N>) { return 5 + N; }
template <typename T> struct is_f { static constexpr constant bool value = false; };
template <> struct is_f<float> { static constexpr constant bool value = true; };
template <typename A, typename B> struct Pair { A a; B b; static int id() { return 1; } };
template <typename A> struct Pair<A, A> { A a; static int id() { return 2; } };
template <typename A, typename B> struct Pair<thread A *, B> { static int id() { return 3; } };
template <typename T> enable_if_t<is_integral_v<T>, int> which(T) { return 1; }
template <typename T> enable_if_t<is_floating_point_v<T>, int> which(T) { return 2; }
template <typename T, enable_if_t<sizeof(T) == 2, bool> = true> int narrow(T) { return 16; }
template <typename T, enable_if_t<sizeof(T) == 4, bool> = true> int narrow(T) { return 32; }
template <int N> int unrolled(thread const int *a) {
    if constexpr (N == 0) { return 0; } else { return a[N - 1] + unrolled<N - 1>(a); }
}
struct Add { template <typename T> T operator()(T a, T b) const { return a + b; } };
struct Mul { template <typename T> T operator()(T a, T b) const { return a * b; } };
template <typename T, typename Op> T fold(const thread T *x, int n, Op op) { T s = x[0]; for (int i = 1; i < n; i++) s = op(s, x[i]); return s; }
template <typename Op, typename T = float> T apply(T a, T b) { return Op{}(a, b); }
template <typename T> using P = thread T *;
template <typename T> constexpr T twice(T x) { return x * 2; }
template <typename T> constexpr constant int bits = sizeof(T) * 8;
template <> constexpr constant int bits<bool> = 1;
template <typename T, T v> struct ic { static constexpr constant T value = v; using type = ic; };
auto deduced(int x) { return x + 0.5f; }
template <typename T> auto deduced2(T x) -> decltype(x + 1.0f) { return x + 1.0f; }
template <typename T, int N> struct Late { T v[N]; Late(T x); T at(int) const; static T one(); };
template <typename T, int N> Late<T, N>::Late(T x) : v{x} { v[1] = x + 1; }
template <typename T, int N> T Late<T, N>::at(int i) const { return v[i] * N; }
template <typename T, int N> T Late<T, N>::one() { return T(1); }
template <typename T> struct Outer { template <int N> struct In { T a[N]; static constexpr constant int n = N; }; In<3> in; };
kernel void k(device float *out, device const float *in) {
    int a[3] = {1, 2, 3};
    out[0] = kind(1) * 100 + kind(1u) * 10 + kind(1.0f); // = 304
    out[1] = kind(out) * 10 + kind(in); // = 12
    out[2] = kind(int3(1)); // = 8
    out[3] = is_f<float>::value * 2 + is_f<int>::value; // = 2
    out[4] = Pair<int, float>::id() * 100 + Pair<int, int>::id() * 10 + Pair<thread int *, int>::id(); // = 123
    out[5] = which(1) * 10 + which(1.0h); // = 12
    out[6] = narrow(1.0f) + narrow(short(1)); // = 48
    out[7] = unrolled<3>(a); // = 6
    out[8] = fold(a, 3, Add()) * 10 + fold(a, 3, Mul{}); // = 66
    out[9] = apply<Mul>(3.0f, 4.0f) + apply<Add, int>(1, 2); // = 15
    P<int> p = a;
    out[10] = p[2]; // = 3
    constexpr int tw = twice(8);
    int arr[tw];
    out[11] = sizeof(arr); // = 64
    out[12] = bits<float> + bits<bool> + ic<int, 5>::type::value; // = 38
    out[13] = deduced(2) + deduced2(3); // = 6.5
    Outer<int>::In<2> oi = {{4, 5}};
    Outer<float> of;
    of.in.a[2] = 2;
    out[14] = oi.a[1] + Outer<int>::In<7>::n + of.in.a[2]; // = 14
    out[15] = numeric_limits<float>::infinity() > numeric_limits<float>::max(); // = 1
    out[16] = conditional_t<true, int, float>(2.5f) + float(make_unsigned_t<int>(3)); // = 5
    out[17] = is_same_v<decltype(a[0] + 1.0f), float>; // = 1
    Late<float, 3> la(2);
    out[18] = la.at(0) * 100 + la.at(1) + Late<int, 2>::one(); // = 610
    const device auto *ap = in;
    thread auto *tp = &a[1];
    auto *bp = a;
    out[19] = ap[5] * 100 + *tp * 10 + *bp; // = 521
}
// ------
// odd things
#include <metal_stdlib>
using namespace metal;
template <typename T> struct Base { T v; T get() const { return v; } static constexpr constant int K = 3; };
template <typename T> struct Der : Base<T> { using Base<T>::v; T twice() const { return v * 2 + this->get() + Base<T>::K; } };
template <typename T> struct Der2 : public Base<T> { Der2(T x) { this->v = x; } };
struct Agg { int a; struct { int b; int c; } in; };
struct WithArr { float v[3] = {1, 2, 3}; int n{4}; };
struct Part { int a = 5; int b; Part(int x) : b(x) {} };
constexpr int firstover(int n) { int i = 0; for (;; i++) { if (i * i > n) { break; } } return i; }
struct Del { Del() = delete; Del(int x) : x(x) {} int x; };
struct Impl { float x; Impl(float v) : x(v) {} };
float takesImpl(Impl i) { return i.x; }
struct Expl { float x; explicit Expl(float v) : x(v) {} };
float takesExpl(Expl i) { return i.x; }
template <typename T> void variadicless(T a, thread T *b = nullptr) { if (b) *b = a; }
int over(int) { return 1; } int over(float) { return 2; } template <typename T> int over(T) { return 3; }
template <typename T> int tpl(T *) { return 0; }
int cnst(thread int &) { return 1; } int cnst(const thread int &) { return 2; }
enum Color : uint { Red = 1, Green };
int col(Color c) { return 1; } int col(uint c) { return 2; }
namespace ns { struct Q { int q; }; Q operator|(Q a, Q b) { return Q{a.q | b.q}; } bool operator!(Q a) { return a.q == 0; } thread Q &operator<<(thread Q &a, int b) { a.q <<= b; return a; } bool operator&&(Q a, Q b) { return false; } }
struct It { thread int *p; thread int &operator*() { return *p; } thread It &operator++() { ++p; return *this; } bool operator!=(It o) const { return p != o.p; } thread int *operator->() { return p; } };
constexpr constant float kArr[2][2] = {{1, 2}, {3, 4}};
static constexpr constant uint kMask = ~0u >> 4;
constant auto kAuto = 2.5f;
struct Flags { uint f; operator bool() const { return f != 0; } };
kernel void k(device float *out) {
    Der<float> d;
    d.v = 2;
    out[0] = d.twice() + Der2<int>(4).get(); // = 13
    WithArr w;
    WithArr w2 = {};
    WithArr w3{{7}, 8};
    out[1] = w.v[1] + w2.n + w3.v[0] + w3.v[1]; // = 13
    Del dl(3);
    Del d2 = 4;
    out[2] = dl.x + d2.x + takesImpl(2) + takesImpl(2.5f) + takesExpl(Expl(1)); // = 12.5
    int z;
    variadicless(3, &z);
    variadicless(2.0f);
    out[3] = over(1) + over(1.0f) * 10 + over(1u) * 100 + over('a') * 1000 + z * 10000; // = 33321
    const int ci = 1;
    int mi = 2;
    out[4] = cnst(ci) * 10 + cnst(mi) + col(Red) + col(1u) * 10; // = 42
    ns::Q q = {1}, r = {2};
    q = q | r;
    q << 2 << 1;
    out[5] = q.q + !q + (q && r); // = 24
    int data[3] = {1, 2, 3};
    It it{data}, end{data + 3};
    int s = 0;
    for (; it != end; ++it) s += *it;
    out[6] = s; // = 6
    out[7] = kArr[1][0] + kAuto + (kMask >> 24); // = 20.5
    Flags f{2};
    if (f) out[8] = 1; // = 1
    out[9] = f ? 3 : 0; // = 3
    while (f) { f.f = 0; }
    out[10] = !f; // = 1
    Agg lit = {1, {2, 3}}, flat = {4, 5, 6};
    out[11] = lit.in.c * 10 + flat.in.b; // = 35
    out[12] = nullptr == &z; // = 0
    thread int *np = 0;
    out[13] = np == nullptr && !np; // = 1
    WithArr was[2] = {{{9}}};
    out[14] = was[1].v[2] * 10 + was[1].n; // = 34
    Part pt(7);
    out[15] = pt.a * 10 + pt.b; // = 57
    thread int *last = data + 2;
    out[16] = *(last - 1) * 10 + (last - 2)[0]; // = 21
    constexpr int third = firstover(10);
    out[17] = third * 100 + firstover(10); // = 404
}
