// The names of CUDA that the printed texts use, for one thread after the other on a CPU. Compile with -ffp-contract=off.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define __device__
#define __global__
#define __constant__ const
#define __shared__
#define __forceinline__ inline
#define __launch_bounds__(n)
#define __align__(n) __attribute__((aligned(n)))

struct shim_place { unsigned x, y, z; };
static shim_place threadIdx, blockIdx;

template <class to, class from> static to shim_bits(from x)
{
    to y;
    static_assert(sizeof x == sizeof y, "sizes");
    std::memcpy(&y, &x, sizeof y);
    return y;
}
static unsigned __float_as_uint(float x) { return shim_bits<unsigned>(x); }
static float __uint_as_float(unsigned x) { return shim_bits<float>(x); }
static long long __double_as_longlong(double x) { return shim_bits<long long>(x); }
static double __longlong_as_double(long long x) { return shim_bits<double>(x); }
static unsigned long long __umul64hi(unsigned long long a, unsigned long long b) { return (unsigned __int128)a * b >> 64; }
static int __clzll(long long x) { return x == 0 ? 64 : __builtin_clzll((unsigned long long)x); }
static int __popcll(unsigned long long x) { return __builtin_popcountll(x); }
static unsigned long long __brevll(unsigned long long x)
{
    unsigned long long r = 0;
    for (int i = 0; i < 64; i++) r |= (x >> i & 1) << (63 - i);
    return r;
}
static double __dadd_rn(double a, double b) { return a + b; }
static double __dmul_rn(double a, double b) { return a * b; }
static double __ddiv_rn(double a, double b) { return a / b; }
static double __dsqrt_rn(double a) { return std::sqrt(a); }
static double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
static float __fadd_rn(float a, float b) { return a + b; }
static float __fsub_rn(float a, float b) { return a - b; }
static float __fmul_rn(float a, float b) { return a * b; }
static float __fdiv_rn(float a, float b) { return a / b; }
static float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
static float __fsqrt_rn(float a) { return std::sqrt(a); }
static float __frsqrt_rn(float a) { return (float)(1.0L / std::sqrt((long double)a)); }
static double shim_sinpi(double x)
{
    if (x == std::trunc(x)) return std::copysign(0.0, x);
    double n = std::rint(2 * std::fmod(x, 2)), r = std::fmod(x, 2) - n / 2;
    switch ((int)n & 3) {
    case 0: return std::sin(M_PI * r);
    case 1: return std::cos(M_PI * r);
    case 2: return -std::sin(M_PI * r);
    default: return -std::cos(M_PI * r);
    }
}
static double sinpi(double x) { return std::isfinite(x) ? shim_sinpi(x) : x - x; }
static double cospi(double x)
{
    if (!std::isfinite(x)) return x - x;
    x = std::fmod(std::fabs(x), 2);
    return x == 0.5 || x == 1.5 ? 0.0 : x == 0 ? 1.0 : x == 1 ? -1.0 : shim_sinpi(0.5 - x > -0.5 ? 0.5 - x : 0.5 - x + 2);
}
static float sinpif(float x) { return (float)sinpi(x); }
static float cospif(float x) { return (float)cospi(x); }

static unsigned atomicCAS(unsigned *p, unsigned want, unsigned v)
{
    unsigned old = *p;
    if (old == want) *p = v;
    return old;
}
static unsigned long long atomicCAS(unsigned long long *p, unsigned long long want, unsigned long long v)
{
    unsigned long long old = *p;
    if (old == want) *p = v;
    return old;
}
template <class T> static T atomicAdd(T *p, T v) { T old = *p; *p = old + v; return old; }
template <class T> static T atomicMin(T *p, T v) { T old = *p; *p = v < old ? v : old; return old; }
template <class T> static T atomicMax(T *p, T v) { T old = *p; *p = v > old ? v : old; return old; }
template <class T> static T atomicAnd(T *p, T v) { T old = *p; *p = old & v; return old; }
template <class T> static T atomicOr(T *p, T v) { T old = *p; *p = old | v; return old; }
template <class T> static T atomicXor(T *p, T v) { T old = *p; *p = old ^ v; return old; }
template <class T> static T atomicExch(T *p, T v) { T old = *p; *p = v; return old; }
static int atomicAdd(int *p, int v) { int old = *p; *p = (int)((unsigned)old + (unsigned)v); return old; }
