// Kernel sum_tree of sum.metal:103:13, printed as CUDA C++ by Gamma.
// Behaviour: rne ftz=off contract=off

typedef signed char i8;
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

GM_FN u32 gm_least(u32 a, u32 b) { return b < a ? b : a; }

extern __shared__ __align__(16) char gm_dynamic[];

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

struct gm_arguments {
    char *a_x; // const device float*
    char *a_out; // device float*
    char *a_n; // uint&
    u64 a_partial; // byte of dynamic threadgroup memory
    u64 grid_x; // threads of the grid
    u64 grid_y; // threads of the grid
    u64 grid_z; // threads of the grid
    u64 groups_x; // threadgroups of the grid
    u64 groups_y; // threadgroups of the grid
    u64 groups_z; // threadgroups of the grid
    u64 group_x; // threads of a threadgroup, nominally
    u64 group_y; // threads of a threadgroup, nominally
    u64 group_z; // threads of a threadgroup, nominally
    u64 origin_x; // of the grid
    u64 origin_y; // of the grid
    u64 origin_z; // of the grid
    u64 whole; // 1: no threadgroup is smaller
};

extern "C" __global__ void __launch_bounds__(1024) sum_tree(const gm_arguments gm)
{
    const u32 gm_gx = blockIdx.x;
    u32 gm_sx = (u32)gm.group_x, gm_tx = threadIdx.x;
    const u32 gm_gy = blockIdx.y;
    u32 gm_sy = (u32)gm.group_y, gm_ty = threadIdx.y;
    const u32 gm_gz = blockIdx.z;
    u32 gm_sz = (u32)gm.group_z, gm_tz = threadIdx.z;
    const u32 gm_thread = gm_tx + gm_sx * (gm_ty + gm_sy * gm_tz);
    if (gm.whole == 0) { // it may be at an edge of the grid
        gm_sx = gm_least((u32)gm.group_x, (u32)gm.grid_x - gm_gx * (u32)gm.group_x);
        gm_sy = gm_least((u32)gm.group_y, (u32)gm.grid_y - gm_gy * (u32)gm.group_y);
        gm_sz = gm_least((u32)gm.group_z, (u32)gm.grid_z - gm_gz * (u32)gm.group_z);
        if (gm_thread >= gm_sx * gm_sy * gm_sz) return; // beyond the grid
        if (gm_sx != (u32)gm.group_x || gm_sy != (u32)gm.group_y) { // at the edge of the grid
            gm_tx = gm_thread % gm_sx;
            gm_ty = gm_thread / gm_sx % gm_sy;
            gm_tz = gm_thread / (gm_sx * gm_sy);
        }
    }
    const u32 gm_threads = gm_sx * gm_sy * gm_sz;
    char *x = gm.a_x; // const device float*
    char *out = gm.a_out; // device float*
    char *n = gm.a_n; // uint&
    char *partial = gm_dynamic + gm.a_partial; // threadgroup float*
    u32 gid = (u32)(gm_gx * (u32)gm.group_x + gm_tx); // thread_position_in_grid
    u32 threads = (u32)((u32)gm.grid_x); // threads_per_grid
    u32 lid = (u32)(gm_thread); // thread_index_in_threadgroup
    u32 width = (u32)(gm_sx); // threads_per_threadgroup
    u32 group = (u32)(gm_gx); // threadgroup_position_in_grid
    f32 s;
    u32 i;
    u32 half_width;
    s = -0.0f; // sum.metal:113:11
    i = gid; // sum.metal:114:15
    for (;;) {
        const u32 v15 = *(u32 *)n;
        const bool v16 = i < v15;
        if (!v16) {
            break;
        }
        const f32 v17 = ((f32 *)x)[i]; // sum.metal:115:15
        s = __fadd_rn(s, v17);
        i = i + threads; // sum.metal:114:33
    }
    ((f32 *)partial)[lid] = s; // sum.metal:117:18
    __syncthreads(); // sum.metal:118:5
    half_width = (u32)(width >> 1); // sum.metal:119:34
    for (;;) {
        const bool v19 = 0u < half_width;
        if (!v19) {
            break;
        }
        const bool v20 = lid < half_width; // sum.metal:120:17
        if (v20) {
            const u32 v21 = lid + half_width; // sum.metal:121:41
            const f32 v22 = ((f32 *)partial)[v21];
            const f32 v23 = ((f32 *)partial)[lid];
            const f32 v24 = __fadd_rn(v23, v22);
            ((f32 *)partial)[lid] = v24;
        }
        __syncthreads(); // sum.metal:123:9
        half_width = (u32)(half_width >> 1); // sum.metal:119:66
    }
    const bool v25 = lid == 0u; // sum.metal:125:13
    if (v25) {
        const f32 v26 = *(f32 *)partial; // sum.metal:126:29
        ((f32 *)out)[group] = v26;
    }
}
