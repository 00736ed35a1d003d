// The names of CUDA that the printed texts use, for one thread after the other on a CPU. Compile with -ffp-contract=off.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#define __device__
#define __global__
#define __constant__ const
#define __shared__ static
#define __forceinline__ inline
#define __launch_bounds__(n)
#define __align__(n) __attribute__((aligned(n)))

struct shim_place { unsigned x, y, z; };
static shim_place threadIdx, blockIdx;

#define SHIM_VECTOR(name, T) \
    struct __attribute__((aligned(2 * sizeof(T)))) name##2 { T x, y; }; \
    struct __attribute__((aligned(4 * sizeof(T) < 16 ? 4 * sizeof(T) : 16))) name##4 { T x, y, z, w; }; \
    static name##2 make_##name##2(T x, T y) { return {x, y}; } \
    static name##4 make_##name##4(T x, T y, T z, T w) { return {x, y, z, w}; }
SHIM_VECTOR(float, float)
SHIM_VECTOR(int, int)
SHIM_VECTOR(uint, unsigned)
SHIM_VECTOR(longlong, long long)
SHIM_VECTOR(ulonglong, unsigned long long)

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

// Threads of a block as coroutines. Those of a warp that call an operation with the same mask meet there; a barrier waits for
// all that have not ended.
#include <ucontext.h>
struct shim_thread {
    ucontext_t context;
    char *stack;
    bool done, waiting;
    unsigned kind, mask; // 0 barrier, 1 of a warp
    unsigned long long value, result[32];
    shim_place place;
};
static shim_thread shim_threads[1024];
static ucontext_t shim_main;
static unsigned shim_count, shim_now;
static void (*shim_body)();

static void shim_wait(unsigned kind, unsigned mask, unsigned long long value)
{
    shim_thread &t = shim_threads[shim_now];
    t.waiting = true;
    t.kind = kind;
    t.mask = mask;
    t.value = value;
    if (kind == 1 && (mask >> (shim_now & 31) & 1) == 0) {
        fprintf(stderr, "thread %u is not in its own mask %x\n", shim_now, mask);
        exit(3);
    }
    swapcontext(&t.context, &shim_main);
}
static void __syncthreads() { shim_wait(0, 0, 0); }
static void __syncwarp(unsigned mask) { shim_wait(1, mask, 0); }
static unsigned __ballot_sync(unsigned mask, bool v)
{
    shim_wait(1, mask, v);
    unsigned votes = 0;
    for (int i = 0; i < 32; i++)
        if (mask >> i & 1) votes |= (unsigned)shim_threads[shim_now].result[i] << i;
    return votes;
}
static unsigned long long __shfl_sync(unsigned mask, unsigned long long v, int from, int)
{
    shim_wait(1, mask, v);
    return mask >> from & 1 ? shim_threads[shim_now].result[from] : 0xdeadbeefdeadbeefull;
}
static int __ffs(int x) { return __builtin_ffs(x); }
static void __threadfence() {}
static void __threadfence_block() {}

static void shim_start()
{
    shim_body();
    shim_threads[shim_now].done = true;
    swapcontext(&shim_threads[shim_now].context, &shim_main);
}

// shim_run runs one block.
static void shim_run(unsigned x, unsigned y, unsigned z, void (*body)())
{
    shim_body = body;
    shim_count = x * y * z;
    for (unsigned i = 0; i < shim_count; i++) {
        shim_thread &t = shim_threads[i];
        if (t.stack == nullptr) t.stack = (char *)malloc(1 << 16);
        t.done = t.waiting = false;
        t.place = {i % x, i / x % y, i / x / y};
        getcontext(&t.context);
        t.context.uc_stack.ss_sp = t.stack;
        t.context.uc_stack.ss_size = 1 << 16;
        t.context.uc_link = &shim_main;
        makecontext(&t.context, shim_start, 0);
    }
    for (;;) {
        bool moved = false, all = true;
        for (unsigned i = 0; i < shim_count; i++) {
            shim_thread &t = shim_threads[i];
            if (t.done || t.waiting) continue;
            moved = true;
            shim_now = i;
            threadIdx = t.place;
            swapcontext(&shim_main, &t.context);
        }
        for (unsigned w = 0; w < shim_count; w += 32) // warps whose threads have met
            for (unsigned i = w; i < w + 32 && i < shim_count; i++) {
                shim_thread &t = shim_threads[i];
                if (t.done || !t.waiting || t.kind != 1) continue;
                bool met = true;
                for (unsigned j = 0; j < 32; j++)
                    if (t.mask >> j & 1) {
                        if (w + j >= shim_count) { fprintf(stderr, "mask %x names no thread\n", t.mask); exit(3); }
                        shim_thread &o = shim_threads[w + j];
                        met = met && o.waiting && !o.done && o.kind == 1 && o.mask == t.mask;
                    }
                if (!met) continue;
                unsigned long long values[32] = {};
                for (unsigned j = 0; j < 32; j++)
                    if (t.mask >> j & 1) values[j] = shim_threads[w + j].value;
                unsigned mask = t.mask;
                for (unsigned j = 0; j < 32; j++)
                    if (mask >> j & 1) {
                        memcpy(shim_threads[w + j].result, values, sizeof values);
                        shim_threads[w + j].waiting = false;
                    }
                moved = true;
            }
        bool barrier = true;
        for (unsigned i = 0; i < shim_count; i++) {
            all = all && shim_threads[i].done;
            barrier = barrier && (shim_threads[i].done || (shim_threads[i].waiting && shim_threads[i].kind == 0));
        }
        if (all) return;
        if (barrier)
            for (unsigned i = 0; i < shim_count; i++) shim_threads[i].waiting = false;
        else if (!moved) {
            fprintf(stderr, "threads wait for one another for ever\n");
            exit(3);
        }
    }
}
