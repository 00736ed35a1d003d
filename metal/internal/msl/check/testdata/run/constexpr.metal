// constants are what the kernel computes
#include <metal_stdlib>
using namespace metal;
struct V { float x, y; constexpr V(float a, float b) : x(a), y(b) {} constexpr V operator*(V o) const { return V(x * o.x - y * o.y, x * o.y + y * o.x); } constexpr float n() const { return x * x + y * y; } };
template <int N> struct Table { uint v[N]; };
template <int N> constexpr Table<N> crc(uint poly) {
    Table<N> t = {};
    for (uint i = 0; i < N; i++) {
        uint c = i;
        for (int k = 0; k < 8; ++k) { c = c & 1 ? poly ^ (c >> 1) : c >> 1; }
        t.v[i] = c;
    }
    return t;
}
constexpr uint gcd(uint a, uint b) { while (b != 0) { uint t = a % b; a = b; b = t; } return a; }
constexpr int collatz(int n) { int k = 0; do { n = n % 2 == 0 ? n / 2 : 3 * n + 1; k++; } while (n != 1); return k; }
constexpr float series(int n) { float s = 0; for (int i = n; i > 0; --i) { if (i % 3 == 0) continue; if (i == 1) break; s += 1.0f / i; } return s; }
constexpr int kind(int x) { switch (x) { case 0: return 5; case 1: x += 10; case 2: x += 100; break; default: x = -1; } return x; }
constexpr half halves(half a) { half s = a; for (int i = 0; i < 5; i++) { s = s * 1.1h + a; } return s; }
constexpr int ptrs() { int a[4] = {1, 2, 3, 4}; thread int *p = a; int s = 0; while (p != a + 4) { s = s * 10 + *p++; } return s + (p - a); }
constexpr float vecs() { float4 v = float4(1, 2, 3, 4); v.xy = v.wz; v *= 2; float s = 0; for (int i = 0; i < 4; i++) { s = s * 10 + v[i]; } return s + v.zw.y; }
constexpr short wraps(short a) { a += 30000; a -= 100; uchar b = 255; ++b; b--; return a + b; }
constexpr void bump(thread int &x, int by = 2) { x += by; }
constexpr int refs() { int a = 1; bump(a); bump(a, 10); thread int &r = a; r *= 2; return a; }
constexpr int evens(int n) { return n == 0 ? 1 : n == 1 ? 0 : evens(n - 2); }
constexpr long big(long a) { long r = a; for (int i = 0; i < 6; i++) { r = (r << 7) ^ (r >> 3); } return r; }
constexpr bool logic(int a) { return a > 1 && a < 10 || !(a & 4); }
constant V vc = V(1, 2) * V(3, -1);
constant Table<16> tab = crc<16>(0xEDB88320u);
constant uint g = gcd(1071, 462);
constant int col = collatz(27);
constant float ser = series(50);
constant half hv = halves(0.3h);
constant int pv = ptrs();
constant float vv = vecs();
constant short wv = wraps(-5);
constant int rv = refs();
constant long bv = big(12345);
static_assert(evens(10) == 1 && evens(7) == 0, "evens");
static_assert(logic(5) && !logic(12) && logic(0), "logic");
kernel void k(device float *out) {
    out[0] = vc.x * 100 + vc.y; // = 505
    V w = V(1, 2) * V(3, -1);
    V u = vc; out[1] = w.n() - u.n(); // = 0
    Table<16> t = crc<16>(0xEDB88320u);
    uint diff = 0;
    for (int i = 0; i < 16; i++) diff |= t.v[i] ^ tab.v[i];
    out[2] = diff; // = 0
    out[3] = (tab.v[7] == 0x9e6495a3u) + (tab.v[15] == 0x90bf1d91u); // = 2
    out[4] = g * 1000 + gcd(1071, 462); // = 21021
    out[5] = collatz(27) - col + col; // = 111
    out[6] = series(50) - ser; // = 0
    out[7] = halves(0.3h) - hv; // = 0
    out[8] = ptrs() * 2 - pv; // = 1238
    out[9] = vecs() - vv + vv; // = 8676
    out[10] = wraps(-5) - wv; // = 0
    out[11] = wv; // = 30150
    out[12] = refs() * 100 + rv; // = 2626
    out[13] = big(12345) == bv; // = 1
    out[14] = kind(0) + kind(1) + kind(2) + kind(3); // = 217
    constexpr int c14 = kind(0) + kind(1) + kind(2) + kind(3);
    out[15] = c14; // = 217
    constexpr float4 cv = float4(1, 2, 3, 4).wzyx;
    out[16] = cv.x + cv[1] * 10; // = 34
    constexpr int ca[3] = {1, 2, 3};
    int arr[ca[2]];
    out[17] = sizeof(arr) / 4; // = 3
    constexpr int e8 = evens(8);
    const int e9 = evens(9);
    int sized[evens(4) + 1];
    static_assert(evens(6), "");
    out[18] = e8 * 10 + e9 + sizeof(sized); // = 18
    switch (kind(0)) { case evens(2) + 4: out[19] = 1; break; default: break; } // = 1
    if constexpr (evens(3)) { out[20] = 1; } else { out[20] = 3; // = 3
    }
}
// ------
// lvalues
#include <metal_stdlib>
using namespace metal;
struct P { int a, b; thread P &self() { return *this; } thread int &at(int i) thread { return i ? b : a; } device int &at(int i) device { return i ? b : a; } };
thread int &pick(thread int &x, thread int &y, bool first) { if (first) return x; return y; }
device float &slot(device float *p, int i) { return p[i]; }
int count(thread int &n) { return ++n; }
kernel void k(device float *out) {
    int a = 1, b = 2, c = 3;
    (a = b) = c;
    out[0] = a * 10 + b; // = 32
    a = b = c = 7;
    out[1] = a + b + c; // = 21
    ++(++a);
    out[2] = a; // = 9
    (a += 2) *= 3;
    out[3] = a; // = 33
    (b, a) = 4;
    out[4] = a; // = 4
    pick(a, b, false) = 9;
    out[5] = b; // = 9
    pick(a, b, true)++;
    out[6] = a; // = 5
    slot(out, 7) = 2;
    out[7] += 1;
    out[8] = out[7]; // = 3
    P p = {1, 2};
    p.self().self().b = 6;
    p.at(0) += 4;
    out[9] = p.a * 10 + p.b; // = 56
    int i = 0, arr[3] = {0, 0, 0};
    arr[i++] = i;
    arr[i++] += 5;
    out[10] = arr[1] * 10 + i; // = 52
    int n = 0;
    arr[count(n)] -= 1;
    out[11] = arr[1] * 10 + n; // = 41
    int x = (b > 3 ? a : b)++;
    out[12] = x * 10 + a; // = 56
    thread int *q = &arr[1];
    *q++ = 8;
    out[13] = arr[1] + (q - arr); // = 10
    --q;
    out[14] = q[0] + q[-1]; // = 8
    float4 v = 0;
    v.zx = float2(1, 2);
    v[1] = 3;
    v.w++;
    out[15] = v.x * 1000 + v.y * 100 + v.z * 10 + v.w; // = 2311
    float4 vs[2] = {float4(1), float4(2)};
    vs[1].yz *= vs[0].xy + 1;
    out[16] = vs[1].y + vs[1].x; // = 6
    P ps[2] = {{1, 2}, {3, 4}};
    thread P &r = ps[1];
    r = ps[0];
    r.b = 5;
    out[17] = ps[1].a * 10 + ps[1].b; // = 15
    ushort us = 65535;
    us++;
    out[18] = us; // = 0
    uchar uc = 1;
    uc <<= 9;
    out[19] = uc; // = 0
    int m = 7;
    m /= 2.0f;
    out[20] = m; // = 3
    m = 10;
    m *= 1.55f;
    out[21] = m; // = 15
    half h = 1;
    h += 0.5f;
    out[22] = h; // = 1.5
    bool t = false;
    t |= 4;
    out[23] = t; // = 1
    device float *dp = out + 24;
    *dp = 3; 
    dp += 1;
    *dp = dp[-1] * 2;
    out[26] = out[24] + out[25]; // = 9
    const thread int &cr = a + 1;
    out[27] = cr; // = 7
    int z = (n = 2, n + 1);
    out[28] = z; // = 3
    for (int j = 0, k2 = 5; j < k2; j++, k2--) out[29] = j * 10 + k2; // = 23
    int sum = 0;
    int grid[2][3] = {{1, 2, 3}, {4, 5, 6}};
    for (auto &row : grid) for (auto e : row) sum += e;
    out[30] = sum; // = 21
    P cp = p;
    cp.a = 100;
    out[31] = p.a; // = 5
    a = 5;
    a = a++ + 1;
    out[32] = a > 0; // = 1
}
