// Discrete Fourier transforms of n = 2^k complex numbers in float, in one pass over memory or two. Host code and claims: fft_pass.go.
//
// A pass does transforms of L = A·B numbers, A = 2^LA and B = 2^LB being equal or A twice B, of which each of B threads holds A numbers in registers. Number j = B·m + p goes
// to thread p, which transforms its A numbers, m = 0 … A-1, and multiplies value q of them by exp(-2πi·p·q/L). By way of threadgroup memory B numbers of one q come together,
// and their transform gives the values q + A·s, s = 0 … B-1. Threadgroup memory holds real parts first, and then imaginary ones.
//
// Two passes make a transform of n = L·L': a number stands in a row of L', the first pass transforms columns, and the second multiplies by exp(-2πi·row·column/n),
// transforms rows, and writes them as columns. A threadgroup does c = 2^LC neighbouring columns or rows, so that c numbers are read and written side by side.
//
// In registers stages are of radix 2, by decimation in frequency: value q stands where the bits of q in the other order say. The inverse transform is the forward one between numbers
// whose parts are exchanged. Products are by fma, and a product by a factor of parts 1 and 0 is exact.

#include <metal_stdlib>
using namespace metal;

#include "eft.h"

// fft_times returns v·w.
//
// Error:   2u·|v·w|.
// Source:  [JKLM 2017].
inline float2 fft_times(float2 v, float2 w) { return float2(fma(v.x, w.x, -(v.y * w.y)), fma(v.x, w.y, v.y * w.x)); }

// exchanged returns v, its parts exchanged if so is true.
inline float2 exchanged(float2 v, bool so) { return select(v, v.yx, bool2(so)); }

// fft_sum replaces (a, b) by (a + b, a - b), fft_quarter by (a + b, -i·(a - b)), and fft_twist by (a + b, (a - b)·w).
inline void fft_sum(thread float2& a, thread float2& b)
{
    float2 d = a - b;
    a += b;
    b = d;
}

inline void fft_quarter(thread float2& a, thread float2& b)
{
    float2 d = a - b;
    a += b;
    b = float2(d.y, -d.x);
}

inline void fft_twist(thread float2& a, thread float2& b, float2 w)
{
    float2 d = a - b;
    a += b;
    b = fft_times(d, w);
}

// Parts of exp(-2πi·k/32).
constant float c1 = 0.98078528040323044913f; // cos π/16
constant float c2 = 0.92387953251128675613f;
constant float c3 = 0.83146961230254523708f;
constant float c4 = 0.70710678118654752440f;
constant float c5 = 0.55557023301960222474f;
constant float c6 = 0.38268343236508977173f;
constant float c7 = 0.19509032201612826785f; // cos 7π/16

// fft_2, fft_4, … transform the numbers of a from number I on.
template <uint I>
inline void fft_2(thread float2 (&a)[32]) { fft_sum(a[I], a[I + 1]); }

template <uint I>
inline void fft_4(thread float2 (&a)[32])
{
    fft_sum(a[I], a[I + 2]);
    fft_quarter(a[I + 1], a[I + 3]);
    fft_2<I>(a);
    fft_2<I + 2>(a);
}

template <uint I>
inline void fft_8(thread float2 (&a)[32])
{
    fft_sum(a[I], a[I + 4]);
    fft_twist(a[I + 1], a[I + 5], float2(c4, -c4));
    fft_quarter(a[I + 2], a[I + 6]);
    fft_twist(a[I + 3], a[I + 7], float2(-c4, -c4));
    fft_4<I>(a);
    fft_4<I + 4>(a);
}

template <uint I>
inline void fft_16(thread float2 (&a)[32])
{
    fft_sum(a[I], a[I + 8]);
    fft_twist(a[I + 1], a[I + 9], float2(c2, -c6));
    fft_twist(a[I + 2], a[I + 10], float2(c4, -c4));
    fft_twist(a[I + 3], a[I + 11], float2(c6, -c2));
    fft_quarter(a[I + 4], a[I + 12]);
    fft_twist(a[I + 5], a[I + 13], float2(-c6, -c2));
    fft_twist(a[I + 6], a[I + 14], float2(-c4, -c4));
    fft_twist(a[I + 7], a[I + 15], float2(-c2, -c6));
    fft_8<I>(a);
    fft_8<I + 8>(a);
}

inline void fft_32(thread float2 (&a)[32])
{
    fft_sum(a[0], a[16]);
    fft_twist(a[1], a[17], float2(c1, -c7));
    fft_twist(a[2], a[18], float2(c2, -c6));
    fft_twist(a[3], a[19], float2(c3, -c5));
    fft_twist(a[4], a[20], float2(c4, -c4));
    fft_twist(a[5], a[21], float2(c5, -c3));
    fft_twist(a[6], a[22], float2(c6, -c2));
    fft_twist(a[7], a[23], float2(c7, -c1));
    fft_quarter(a[8], a[24]);
    fft_twist(a[9], a[25], float2(-c7, -c1));
    fft_twist(a[10], a[26], float2(-c6, -c2));
    fft_twist(a[11], a[27], float2(-c5, -c3));
    fft_twist(a[12], a[28], float2(-c4, -c4));
    fft_twist(a[13], a[29], float2(-c3, -c5));
    fft_twist(a[14], a[30], float2(-c2, -c6));
    fft_twist(a[15], a[31], float2(-c1, -c7));
    fft_16<0>(a);
    fft_16<16>(a);
}

// fft_registers transforms 2^LOG numbers of a from number I on.
template <uint LOG, uint I>
inline void fft_registers(thread float2 (&a)[32])
{
    if (LOG == 1) {
        fft_2<I>(a);
    } else if (LOG == 2) {
        fft_4<I>(a);
    } else if (LOG == 3) {
        fft_8<I>(a);
    } else if (LOG == 4) {
        fft_16<I>(a);
    } else if (LOG == 5) {
        fft_32(a);
    }
}

// FFT_AT is where value k of 2^log stands, and FFT_EACH does X(j) for every j below 32.
#define FFT_AT(log, k) ((((k) & 1) << 4 | ((k) & 2) << 2 | ((k) & 4) | ((k) & 8) >> 2 | ((k) & 16) >> 4) >> (5 - (log)))
#define FFT_EACH(X) \
    X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14) X(15) \
    X(16) X(17) X(18) X(19) X(20) X(21) X(22) X(23) X(24) X(25) X(26) X(27) X(28) X(29) X(30) X(31)

// fft_shape says where numbers stand. Number j of transform i is src[y·n + i·in_column + j·in_step], y being the threadgroup's second coordinate, and so are values in dst.
struct fft_shape {
    uint n;
    uint in_column;
    uint in_step;
    uint out_column;
    uint out_step;
    uint in_lines;  // not 0: neighbouring threads read neighbours of a transform, and not of neighbouring transforms
    uint out_lines; // the same of what they write
    uint later;     // not 0: numbers are multiplied by factors of between, and not by scale
    uint swap_in;   // not 0: parts of src are exchanged
    uint swap_out;
    float scale;
};

// fft_pass does c transforms a threadgroup, from src to dst. Factor q·B + p of inside is exp(-2πi·p·q/L), and between has one for each number of a transform of n, where the number stands in src.
//
// Launch:  c·B threads. 4·c·L bytes of threadgroup memory.
// Barriers: three, between which real parts are exchanged, and imaginary ones.
template <uint LA, uint LB, uint LC>
kernel [[max_total_threads_per_threadgroup(512)]]
void fft_pass(device const float2* src [[buffer(0)]],
              device float2* dst [[buffer(1)]],
              device const float2* inside [[buffer(2)]],
              device const float2* between [[buffer(3)]],
              constant fft_shape& g [[buffer(4)]],
              threadgroup float* t [[threadgroup(0)]],
              uint2 group [[threadgroup_position_in_grid]],
              uint id [[thread_index_in_threadgroup]])
{
    uint p = id & ((1u << LB) - 1);
    uint column = id >> LB;
    if (g.in_lines == 0) { // threads that are neighbours in p have another bank each, for which p's bits go round
        column = id & ((1u << LC) - 1);
        p = id >> LC;
        p = (p << min(LB, LC) | p >> (LB - min(LB, LC))) & ((1u << LB) - 1);
    }
    uint place = ((group.x << LC) + column) * g.in_column + p * g.in_step;
    uint step = g.in_step << LB;
    device const float2* from = src + (group.y * g.n + place);
    float2 a[32];
    if (g.later != 0) {
        device const float2* w = between + place;
#define FFT_LOAD(j) if (j < 1u << LA) { a[j] = fft_times(from[j * step], w[j * step]); }
        FFT_EACH(FFT_LOAD)
#undef FFT_LOAD
    } else {
#define FFT_LOAD(j) if (j < 1u << LA) { a[j] = exchanged(from[j * step], g.swap_in != 0) * g.scale; }
        FFT_EACH(FFT_LOAD)
#undef FFT_LOAD
    }
    fft_registers<LA, 0>(a);
    uint q = id & ((1u << LB) - 1);
    uint result = id >> LB;
    if (g.out_lines == 0) {
        result = id & ((1u << LC) - 1);
        q = id >> LC;
    }
    if (LB > 0) {
        device const float2* w = inside + p;
#define FFT_INSIDE(j) if (j > 0 && j < 1u << LA) { a[FFT_AT(LA, j)] = fft_times(a[FFT_AT(LA, j)], w[j << LB]); }
        FFT_EACH(FFT_INSIDE)
#undef FFT_INSIDE
        // Number p of value q, column after column, stands in row r = q·c + column, at place p ^ r of it: threads that write or read together use different banks.
        uint x = p ^ (column & ((1u << LB) - 1));
        threadgroup float* put = t + (column << LB);
        uint row = q << LC | result;
        threadgroup float* take = t + (row << LB);
        uint y = row & ((1u << LB) - 1);
        threadgroup float* also = take + (1u << (LB + LB + LC)); // of value q + B
        uint z = (row + (1u << (LB + LC))) & ((1u << LB) - 1);
#define FFT_PUT_X(j) if (j < 1u << LA) { (put + (j << (LB + LC)))[x ^ ((j << LC) & ((1u << LB) - 1))] = a[FFT_AT(LA, j)].x; }
#define FFT_TAKE_X(j) if (j < 1u << LB) { a[j].x = take[j ^ y]; } else if (j < 1u << LA) { a[j].x = also[(j - (1u << LB)) ^ z]; }
#define FFT_PUT_Y(j) if (j < 1u << LA) { (put + (j << (LB + LC)))[x ^ ((j << LC) & ((1u << LB) - 1))] = a[FFT_AT(LA, j)].y; }
#define FFT_TAKE_Y(j) if (j < 1u << LB) { a[j].y = take[j ^ y]; } else if (j < 1u << LA) { a[j].y = also[(j - (1u << LB)) ^ z]; }
        FFT_EACH(FFT_PUT_X)
        threadgroup_barrier(mem_flags::mem_threadgroup);
        FFT_EACH(FFT_TAKE_X)
        threadgroup_barrier(mem_flags::mem_threadgroup);
        FFT_EACH(FFT_PUT_Y)
        threadgroup_barrier(mem_flags::mem_threadgroup);
        FFT_EACH(FFT_TAKE_Y)
#undef FFT_PUT_X
#undef FFT_TAKE_X
#undef FFT_PUT_Y
#undef FFT_TAKE_Y
        fft_registers<LB, 0>(a);
        if (LA > LB) {
            fft_registers<LB, (LA > LB ? 1u << LB : 0u)>(a);
        }
    }
    device float2* to = dst + (group.y * g.n + ((group.x << LC) + result) * g.out_column + q * g.out_step);
    uint apart = g.out_step << LA;
    if (LB == 0) {
#define FFT_STORE(j) if (j < 1u << LA) { to[j * g.out_step] = exchanged(a[FFT_AT(LA, j)], g.swap_out != 0); }
        FFT_EACH(FFT_STORE)
#undef FFT_STORE
    } else {
        device float2* also = to + (g.out_step << LB); // value q + B on
#define FFT_STORE(j) \
        if (j < 1u << LB) { \
            to[j * apart] = exchanged(a[FFT_AT(LB, j)], g.swap_out != 0); \
        } else if (j < 1u << LA) { \
            also[(j - (1u << LB)) * apart] = exchanged(a[(1u << LB) + FFT_AT(LB, j - (1u << LB))], g.swap_out != 0); \
        }
        FFT_EACH(FFT_STORE)
#undef FFT_STORE
    }
}

#define FFT_PASS(la, lb, lc) template [[host_name("fft_pass_" #la "_" #lb "_" #lc)]] kernel decltype(fft_pass<la, lb, lc>) fft_pass<la, lb, lc>;
#define FFT_PASSES(la, lb) FFT_PASS(la, lb, 0) FFT_PASS(la, lb, 1) FFT_PASS(la, lb, 2) FFT_PASS(la, lb, 3)
FFT_PASSES(0, 0)
FFT_PASSES(1, 0)
FFT_PASSES(1, 1)
FFT_PASSES(2, 1)
FFT_PASSES(2, 2)
FFT_PASSES(3, 2)
FFT_PASSES(3, 3)
FFT_PASSES(4, 3)
FFT_PASSES(4, 4)
FFT_PASSES(5, 4)
FFT_PASSES(5, 5)
