package emit

import "gamma/metal/msl/ir"

// The helpers that texts begin with. They are in the common subset of C++ and OpenCL C, but for the names of each dialect.
// A float that is not a plain binary32 is computed in binary64 with rounding to odd, and rounded once by gm_narrow.

const typesCUDA = `typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef unsigned short f16;  // by its bits
typedef unsigned short bf16; // by its bits
#define GM_FN static __device__ __forceinline__

GM_FN u32 gm_bits32(f32 x) { return __float_as_uint(x); }
GM_FN f32 gm_f32(u32 x) { return __uint_as_float(x); }
GM_FN u64 gm_bits64(double x) { return (u64)__double_as_longlong(x); }
GM_FN double gm_f64(u64 x) { return __longlong_as_double((i64)x); }
GM_FN u64 gm_umulhi(u64 a, u64 b) { return __umul64hi(a, b); }
GM_FN int gm_clz(u64 x) { return __clzll((i64)x); }
GM_FN int gm_popcount(u64 x) { return __popcll(x); }
GM_FN u64 gm_reverse(u64 x) { return __brevll(x); }
GM_FN double gm_add64(double a, double b) { return __dadd_rn(a, b); }
GM_FN double gm_mul64(double a, double b) { return __dmul_rn(a, b); }
GM_FN double gm_div64(double a, double b) { return __ddiv_rn(a, b); }
GM_FN double gm_sqrt64(double a) { return __dsqrt_rn(a); }
GM_FN double gm_fma64(double a, double b, double c) { return __fma_rn(a, b, c); }
`

const typesOpenCL = `#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
typedef char i8;
typedef uchar u8;
typedef short i16;
typedef ushort u16;
typedef int i32;
typedef uint u32;
typedef long i64;
typedef ulong u64;
typedef float f32;
typedef ushort f16;  // by its bits
typedef ushort bf16; // by its bits
#define GM_FN static inline

GM_FN u32 gm_bits32(f32 x) { return as_uint(x); }
GM_FN f32 gm_f32(u32 x) { return as_float(x); }
GM_FN u64 gm_bits64(double x) { return as_ulong(x); }
GM_FN double gm_f64(u64 x) { return as_double(x); }
GM_FN u64 gm_umulhi(u64 a, u64 b) { return mul_hi(a, b); }
GM_FN int gm_clz(u64 x) { return (int)clz(x); }
GM_FN int gm_popcount(u64 x) { return (int)popcount(x); }
GM_FN u64 gm_reverse(u64 x)
{
    x = x >> 1 & 0x5555555555555555UL | (x & 0x5555555555555555UL) << 1;
    x = x >> 2 & 0x3333333333333333UL | (x & 0x3333333333333333UL) << 2;
    x = x >> 4 & 0x0f0f0f0f0f0f0f0fUL | (x & 0x0f0f0f0f0f0f0f0fUL) << 4;
    x = x >> 8 & 0x00ff00ff00ff00ffUL | (x & 0x00ff00ff00ff00ffUL) << 8;
    x = x >> 16 & 0x0000ffff0000ffffUL | (x & 0x0000ffff0000ffffUL) << 16;
    return x >> 32 | x << 32;
}
GM_FN double gm_add64(double a, double b) { return a + b; }
GM_FN double gm_mul64(double a, double b) { return a * b; }
GM_FN double gm_div64(double a, double b) { return a / b; }
GM_FN double gm_sqrt64(double a) { return sqrt(a); }
GM_FN double gm_fma64(double a, double b, double c) { return fma(a, b, c); }
`

// soft rounds to odd and narrows: to man bits of fraction with least exponent emin, mode 1 toward zero, 2 flushing
// results, 4 flushing what is tiny before rounding.
const soft = `
GM_FN bool gm_number(double x) { return (gm_bits64(x) >> 52 & 0x7ff) != 0x7ff; }
GM_FN double gm_odd(double r, bool exact, bool beyond)
{
    u64 b = gm_bits64(r);
    if (exact || (b & 1) != 0) return r;
    return gm_f64(beyond ? b + 1 : b - 1);
}
GM_FN double gm_odd_add(double a, double b)
{
    double s = gm_add64(a, b);
    if (!gm_number(s)) return s;
    double bb = gm_add64(s, -a);
    double e = gm_add64(gm_add64(a, -gm_add64(s, -bb)), gm_add64(b, -bb));
    return gm_odd(s, e == 0, (e > 0) == (s > 0));
}
GM_FN double gm_odd_div(double a, double b)
{
    double q = gm_div64(a, b);
    if (q == 0 || !gm_number(q) || !gm_number(b)) return q;
    double r = gm_fma64(-q, b, a);
    return gm_odd(q, r == 0, (r > 0) == (a > 0));
}
GM_FN double gm_odd_sqrt(double x)
{
    double s = gm_sqrt64(x);
    if (s == 0 || !gm_number(s)) return s;
    double r = gm_fma64(-s, s, x);
    return gm_odd(s, r == 0, r > 0);
}
GM_FN double gm_odd_rsqrt(double x)
{
    // s = 1/sqrt(x) to within 2^-52 of itself; 1 - x*s*s in two words tells on which side the exact value lies.
    if (!(x > 0) || !gm_number(x)) return gm_div64(1.0, gm_sqrt64(x));
    double s = gm_div64(1.0, gm_sqrt64(x));
    s = gm_f64(gm_bits64(s) & ~(u64)0x7ffffff); // 26 bits
    double ss = gm_mul64(s, s); // exact
    double r = gm_fma64(-x, ss, 1.0);
    if (r < 0) {
        s = gm_f64(gm_bits64(s) - 0x8000000);
        r = 1.0;
    }
    return gm_odd(s, r == 0, true);
}
GM_FN double gm_odd_int(u64 m, bool neg)
{
    int n = 64 - gm_clz(m);
    if (n > 53) {
        u64 rest = m & (((u64)1 << (n - 53)) - 1);
        m ^= rest;
        if (rest != 0) m |= (u64)1 << (n - 53);
    }
    double f = (double)m;
    return neg ? -f : f;
}
GM_FN u64 gm_round_off(u64 m, int shift, bool to_zero)
{
    u64 q = m >> shift, rest = m & (((u64)1 << shift) - 1), half_ = (u64)1 << (shift - 1);
    return !to_zero && (rest > half_ || (rest == half_ && (q & 1) != 0)) ? q + 1 : q;
}
GM_FN u64 gm_narrow(double x, int man, int emin, int mode)
{
    u64 b = gm_bits64(x), inf = (u64)(2 - 2 * emin + 1) << man, sign = (b >> 63) * ((inf >> man) + 1 << man);
    bool to_zero = (mode & 1) != 0;
    b &= ~((u64)1 << 63);
    if (b > (u64)0x7ff << 52) return inf | (u64)1 << (man - 1);
    if (b == (u64)0x7ff << 52) return sign | inf;
    if (b == 0) return sign;
    int e = (int)(b >> 52) - 1023;
    u64 m = (b & (((u64)1 << 52) - 1)) | (u64)1 << 52;
    if (b >> 52 == 0) {
        m ^= (u64)1 << 52;
        int up = gm_clz(m) - 11;
        m <<= up;
        e = -1022 - up;
    }
    int shift = 52 - man;
    if (e < emin) {
        if ((mode & 2) != 0 && ((mode & 4) != 0 || e < emin - 1 || gm_round_off(m, shift, to_zero) != (u64)1 << (man + 1))) return sign;
        shift += emin - e;
        if (shift > 63) shift = 63;
    }
    u64 q = gm_round_off(m, shift, to_zero);
    if (e >= emin) q += (u64)(e - emin) << man;
    if (q >= inf) q = to_zero ? inf - 1 : inf;
    return sign | q;
}
GM_FN double gm_widen(u64 v, int man, int emin, bool flush)
{
    u64 sign = v >> (man + (emin == -14 ? 5 : 8)) & 1, m = v & (((u64)1 << man) - 1);
    int e = (int)(v >> man) & (emin == -14 ? 31 : 255);
    u64 r;
    if (e == (emin == -14 ? 31 : 255)) {
        r = (u64)0x7ff << 52 | m << (52 - man) | (u64)(m != 0) << 51;
    } else if (e != 0) {
        r = (u64)(e - 1 + emin + 1023) << 52 | m << (52 - man);
    } else if (m == 0 || flush) {
        r = 0;
    } else {
        int up = gm_clz(m) - (63 - man);
        r = (u64)(emin - up + 1023) << 52 | (m << up & (((u64)1 << man) - 1)) << (52 - man);
    }
    return gm_f64(r | sign << 63);
}
GM_FN u64 gm_extremum(u64 a, u64 b, u64 sign, u64 inf, u64 least, bool flush, bool min_)
{
    u64 ma = a & ~sign, mb = b & ~sign;
    if (ma > inf) return mb > inf ? inf | least >> 1 : b;
    if (mb > inf) return a;
    if (flush && ma != 0 && ma < least && mb != 0 && mb < least) return a;
    i64 ka = (a & sign) != 0 ? -(i64)ma - 1 : (i64)ma, kb = (b & sign) != 0 ? -(i64)mb - 1 : (i64)mb;
    return (kb < ka) == min_ ? b : a;
}
GM_FN u64 gm_nextafter(double x, double y, int man, int emin, bool flush)
{
    u64 sign = (u64)1 << (man + (emin == -14 ? 5 : 8));
    if (x != x || y != y) return gm_narrow(x + y, man, emin, 0);
    u64 v = gm_narrow(x, man, emin, 0);
    if (x == y) v = gm_narrow(y, man, emin, 0);
    else if (x == 0) v = y < 0 ? sign | 1 : 1;
    else if ((x < y) == (x > 0)) v++;
    else v--;
    u64 m = v & ~sign;
    return flush && m < (u64)1 << man ? v & sign : v;
}
GM_FN u64 gm_fract(double x, int man, int emin, int mode)
{
    if (x != x) return gm_narrow(x, man, emin, 0);
    if (!gm_number(x)) return gm_narrow(x > 0 ? 0.0 : -0.0, man, emin, 0);
    u64 r = gm_narrow(gm_odd_add(x, -floor(x)), man, emin, mode), below = (u64)-emin << man | (((u64)1 << man) - 1);
    return r < below ? r : below;
}
GM_FN int gm_exponent(double x)
{
    int e;
    if (x == 0 || !gm_number(x)) return 0;
    frexp(x, &e);
    return e;
}
GM_FN int gm_ilogb(double x)
{
    if (x == 0 || x != x) return -2147483647 - 1;
    return gm_number(x) ? gm_exponent(x) - 1 : 2147483647;
}
GM_FN double gm_mantissa(double x)
{
    int e;
    return x == 0 || !gm_number(x) ? x : frexp(x, &e);
}
GM_FN double gm_ldexp(double x, int n) { return ldexp(x, n < -500 ? -500 : n > 500 ? 500 : n); }
GM_FN double gm_fdim(double x, double y) { return x <= y ? 0.0 : gm_odd_add(x, -y); }
GM_FN double gm_round(double x)
{
    double r = floor(fabs(x));
    if (!gm_number(x)) return x;
    return copysign(fabs(x) - r >= 0.5 ? r + 1.0 : r, x);
}
`

// integerHelpers are functions of integers of type {t}. {u} is the unsigned type of its width, {w} the one that is computed in, {n} the number of
// bits, {signed} whether it is signed, and {double} a type of 64 bits with its sign.
var integerHelpers = map[ir.Op]string{
	ir.Div: `GM_FN {t} gm_div_{t}({t} a, {t} b)
{
    if (b == 0) return ({t})~({w})0;
    return {signed} && ({u})b == ({u})~({u})0 ? ({t})(({w})0 - ({w})a) : ({t})(a / b);
}
`,
	ir.Rem: `GM_FN {t} gm_rem_{t}({t} a, {t} b)
{
    if (b == 0) return a;
    return {signed} && ({u})b == ({u})~({u})0 ? ({t})0 : ({t})(a % b);
}
`,
	ir.MulHi: `GM_FN {t} gm_mulhi_{t}({t} a, {t} b)
{
    return ({t})(({double})a * ({double})b >> {n});
}
`,
	ir.AddSat: `GM_FN {t} gm_addsat_{t}({t} a, {t} b)
{
    {u} r = ({u})(({w})a + ({w})b);
    if (!{signed}) return r < ({u})a ? ({t})~({w})0 : ({t})r;
    if (((({u})a ^ r) & (({u})b ^ r)) >> ({n} - 1) == 0) return ({t})r;
    return ({t})(({u})a >> ({n} - 1) != 0 ? ({w})1 << ({n} - 1) : (({w})1 << ({n} - 1)) - 1);
}
`,
	ir.SubSat: `GM_FN {t} gm_subsat_{t}({t} a, {t} b)
{
    {u} r = ({u})(({w})a - ({w})b);
    if (!{signed}) return a < b ? ({t})0 : ({t})r;
    if (({u})((({u})a ^ ({u})b) & (({u})a ^ r)) >> ({n} - 1) == 0) return ({t})r;
    return ({t})(({u})a >> ({n} - 1) != 0 ? ({w})1 << ({n} - 1) : (({w})1 << ({n} - 1)) - 1);
}
`,
	ir.ReverseBits: `GM_FN {t} gm_reverse_bits_{t}({t} a)
{
    return ({t})(gm_reverse((u64)({u})a) >> (64 - {n}));
}
`,
	ir.Clz: `GM_FN {t} gm_clz_{t}({t} a)
{
    return ({t})(gm_clz((u64)({u})a) - (64 - {n}));
}
`,
	ir.Ctz: `GM_FN {t} gm_ctz_{t}({t} a)
{
    u64 x = (u64)({u})a;
    return ({t})(x == 0 ? {n} : 63 - gm_clz(x & (~x + 1)));
}
`,
	ir.Rotate: `GM_FN {t} gm_rotate_{t}({t} a, {t} b)
{
    {w} s = ({w})b & ({n} - 1), x = ({w})({u})a;
    return ({t})(x << s | x >> (({n} - s) & ({n} - 1)));
}
`,
	ir.ExtractBits: `GM_FN {t} gm_extract_bits_{t}({t} a, u32 off, u32 count)
{
    if (off > {n}) off = {n};
    if (count > {n} - off) count = {n} - off;
    if (count == 0) return ({t})0;
    u64 x = (u64)({u})a >> off << (64 - count);
    return {signed} ? ({t})((i64)x >> (64 - count)) : ({t})(x >> (64 - count));
}
`,
	ir.InsertBits: `GM_FN {t} gm_insert_bits_{t}({t} a, {t} b, u32 off, u32 count)
{
    if (off > {n}) off = {n};
    if (count > {n} - off) count = {n} - off;
    if (count == 0) return a;
    u64 m = (~(u64)0 >> (64 - count)) << off;
    return ({t})(((u64)({u})a & ~m) | ((u64)({u})b << off & m));
}
`,
}

const mulhi64 = `GM_FN i64 gm_mulhi_i64(i64 a, i64 b)
{
    u64 h = gm_umulhi((u64)a, (u64)b);
    return (i64)(h - (a < 0 ? (u64)b : 0) - (b < 0 ? (u64)a : 0));
}
`

// functions in binary64, of the library functions that no dialect has to the last digits.
var libraryHelpers = map[ir.Op]string{
	ir.TanPi: `GM_FN double gm_tanpi(double x)
{
    if (!gm_number(x)) return x - x;
    x = fmod(x, 2.0);
    double n = rint(2.0 * x), r = x - n / 2.0;
    int q = (int)n & 3;
    if (r == 0) return q == 0 ? copysign(0.0, x) : q == 2 ? copysign(0.0, -x) : gm_f64((u64)0x7ff << 52 | (u64)(q == 3) << 63);
    if (r == 0.25 || r == -0.25) return copysign(1.0, r) * (1 - 2 * (q & 1));
    double t = tan(3.14159265358979323846 * r);
    return (q & 1) == 0 ? t : -1.0 / t;
}
`,
	ir.Powr: `GM_FN double gm_powr(double x, double y)
{
    double inf = gm_f64((u64)0x7ff << 52);
    if (x < 0 || x != x || y != y || (y == 0 && (x == 0 || x == inf)) || (x == 1 && fabs(y) == inf)) return inf - inf;
    return pow(fabs(x), y);
}
`,
}
