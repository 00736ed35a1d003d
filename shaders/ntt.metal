// Number-theoretic transforms of n = 2^k residues, many in one dispatch. Host code and claims: ntt.go.
//
// Word i of transform y is x[y·n + i], where y is the thread's second coordinate. Along the first one each transform has n/2 threads
// or more, those beyond do nothing, and at least one. A dispatch ends one stage for all threadgroups: a barrier would do so within one of
// them alone.
//
// A stage of span s has butterflies of words s apart. Its factors are w[s] to w[2s-1]: the k-th powers of a root of order 2s, or for
// negacyclic transforms the (2k+1)-st ones of a root of order 4s. Between bit-reversed and natural order butterfly k of a block takes
// w[s+k]; the lazy kernels go the other way round, and all butterflies of a block b take w[n/2s+b], in a table in
// bit-reversed order within each stage.
//
// The kernels that are templates are made for the three fields of modular.h: name is that for q < 2^63, name_wide for q < 2^64, name_31
// for q < 2^31. Their factors are in Montgomery's domain, their words in any, and reduced.

#include <metal_stdlib>
using namespace metal;

#include "modular.h"

// reversed returns the low bits of i, those of n-1, in the other order.
inline uint reversed(uint i, uint n) { return n > 1 ? reverse_bits(i) >> (clz(n) + 1) : 0; }

// ntt_bit_reverse exchanges words i and reversed(i). The thread of the smaller index does it.
//
// Launch:  (n+1)/2 threads a transform or more. Barriers: none.
template <typename F>
kernel void ntt_bit_reverse(device typename F::word* x [[buffer(0)]],
                            constant uint& n [[buffer(1)]],
                            uint2 id [[thread_position_in_grid]])
{
    device typename F::word* a = x + id.y * n;
    uint threads = (n + 1) / 2;
    if (id.x >= threads) {
        return;
    }
    for (uint i = id.x; i < n; i += threads) {
        uint r = reversed(i, n);
        if (i < r) {
            typename F::word t = a[i];
            a[i] = a[r];
            a[r] = t;
        }
    }
}

// ntt_forward_stage does the butterflies x+w·y, x-w·y of one stage of a decimation in time. Spans are 1, 2, … n/2, after
// ntt_bit_reverse.
//
// Launch:  n/2 threads a transform or more. Barriers: none.
template <typename F>
kernel void ntt_forward_stage(device typename F::word* x [[buffer(0)]],
                              device const typename F::word* w [[buffer(1)]],
                              constant F& field [[buffer(2)]],
                              constant uint& n [[buffer(3)]],
                              constant uint& span [[buffer(4)]],
                              uint2 id [[thread_position_in_grid]])
{
    if (id.x >= n / 2) {
        return;
    }
    F f = field;
    uint k = id.x & (span - 1);
    uint i = id.y * n + 2 * id.x - k;
    typename F::word u = x[i];
    typename F::word v = x[i + span];
    forward_butterfly(f, u, v, w[span + k]);
    x[i] = u;
    x[i + span] = v;
}

// ntt_inverse_stage does the butterflies x+y, (x-y)·w of one stage of a decimation in frequency. Spans are n/2, … 2, 1, before
// ntt_inverse_final_scale. The factors are the inverses of those of ntt_forward_stage.
//
// Launch:  n/2 threads a transform or more. Barriers: none.
template <typename F>
kernel void ntt_inverse_stage(device typename F::word* x [[buffer(0)]],
                              device const typename F::word* w [[buffer(1)]],
                              constant F& field [[buffer(2)]],
                              constant uint& n [[buffer(3)]],
                              constant uint& span [[buffer(4)]],
                              uint2 id [[thread_position_in_grid]])
{
    if (id.x >= n / 2) {
        return;
    }
    F f = field;
    uint k = id.x & (span - 1);
    uint i = id.y * n + 2 * id.x - k;
    typename F::word u = x[i];
    typename F::word v = x[i + span];
    inverse_butterfly(f, u, v, w[span + k]);
    x[i] = u;
    x[i + span] = v;
}

// ntt_inverse_final_scale is ntt_bit_reverse, and every word times scale, which is R/n mod q, or R²/n after ntt_pointwise.
//
// Launch:  (n+1)/2 threads a transform or more. Barriers: none.
template <typename F>
kernel void ntt_inverse_final_scale(device typename F::word* x [[buffer(0)]],
                                    constant F& field [[buffer(1)]],
                                    constant uint& n [[buffer(2)]],
                                    constant typename F::word& scale [[buffer(3)]],
                                    uint2 id [[thread_position_in_grid]])
{
    device typename F::word* a = x + id.y * n;
    uint threads = (n + 1) / 2;
    if (id.x >= threads) {
        return;
    }
    F f = field;
    for (uint i = id.x; i < n; i += threads) {
        uint r = reversed(i, n);
        if (i <= r) {
            typename F::word t = f.mul(a[i], scale);
            if (i < r) {
                a[i] = f.mul(a[r], scale);
            }
            a[r] = t;
        }
    }
}

// ntt_pointwise writes x·y/R over x, word by word. y begins count words after x.
//
// Launch:  (n+1)/2 threads a transform or more. Barriers: none.
template <typename F>
kernel void ntt_pointwise(device typename F::word* x [[buffer(0)]],
                          constant F& field [[buffer(1)]],
                          constant uint& n [[buffer(2)]],
                          constant uint& count [[buffer(3)]],
                          uint2 id [[thread_position_in_grid]])
{
    device typename F::word* a = x + id.y * n;
    uint threads = (n + 1) / 2;
    if (id.x >= threads) {
        return;
    }
    F f = field;
    for (uint i = id.x; i < n; i += threads) {
        a[i] = f.mul(a[i], a[i + count]);
    }
}

// ntt_forward_tile is ntt_bit_reverse and the stages of spans 1 to tile/2 of ntt_forward_stage. A threadgroup does tile words of x in
// threadgroup memory, and writes them to z.
//
// Launch:  tile/2 threads a threadgroup or more, n/tile threadgroups a transform or more; tile <= n, both powers of two.
// Barriers: one before each stage and one after the last.
template <typename F>
kernel void ntt_forward_tile(device const typename F::word* x [[buffer(0)]],
                             device typename F::word* z [[buffer(1)]],
                             device const typename F::word* w [[buffer(2)]],
                             constant F& field [[buffer(3)]],
                             constant uint& n [[buffer(4)]],
                             constant uint& tile [[buffer(5)]],
                             threadgroup typename F::word* t [[threadgroup(0)]],
                             uint2 group [[threadgroup_position_in_grid]],
                             uint id [[thread_index_in_threadgroup]],
                             uint2 width [[threads_per_threadgroup]])
{
    if (group.x >= n / tile) {
        return; // all threads of the threadgroup
    }
    F f = field;
    uint first = group.x * tile;
    uint base = group.y * n;
    for (uint i = id; i < tile; i += width.x) {
        t[i] = x[base + reversed(first + i, n)];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint span = 1; span < tile; span *= 2) {
        if (id < tile / 2) {
            uint k = id & (span - 1);
            uint i = 2 * id - k;
            typename F::word u = t[i];
            typename F::word v = t[i + span];
            forward_butterfly(f, u, v, w[span + k]);
            t[i] = u;
            t[i + span] = v;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    for (uint i = id; i < tile; i += width.x) {
        z[base + first + i] = t[i];
    }
}

// ntt_inverse_tile is the stages of spans tile/2 to 1 of ntt_inverse_stage, and ntt_inverse_final_scale. A threadgroup does tile words
// of x in threadgroup memory, and writes them to their places in z.
//
// Launch:  as of ntt_forward_tile.
// Barriers: one before each stage and one after the last.
template <typename F>
kernel void ntt_inverse_tile(device const typename F::word* x [[buffer(0)]],
                             device typename F::word* z [[buffer(1)]],
                             device const typename F::word* w [[buffer(2)]],
                             constant F& field [[buffer(3)]],
                             constant uint& n [[buffer(4)]],
                             constant uint& tile [[buffer(5)]],
                             constant typename F::word& scale [[buffer(6)]],
                             threadgroup typename F::word* t [[threadgroup(0)]],
                             uint2 group [[threadgroup_position_in_grid]],
                             uint id [[thread_index_in_threadgroup]],
                             uint2 width [[threads_per_threadgroup]])
{
    if (group.x >= n / tile) {
        return; // all threads of the threadgroup
    }
    F f = field;
    uint first = group.x * tile;
    uint base = group.y * n;
    for (uint i = id; i < tile; i += width.x) {
        t[i] = x[base + first + i];
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint span = tile / 2; span > 0; span /= 2) {
        if (id < tile / 2) {
            uint k = id & (span - 1);
            uint i = 2 * id - k;
            typename F::word u = t[i];
            typename F::word v = t[i + span];
            inverse_butterfly(f, u, v, w[span + k]);
            t[i] = u;
            t[i + span] = v;
        }
        threadgroup_barrier(mem_flags::mem_threadgroup);
    }
    for (uint i = id; i < tile; i += width.x) {
        z[base + reversed(first + i, n)] = f.mul(t[i], scale);
    }
}

// NTT_KERNELS makes the kernels above for a field, with a suffix to their names.
#define NTT_KERNELS(field, suffix) \
    template [[host_name("ntt_bit_reverse" suffix)]] kernel decltype(ntt_bit_reverse<field>) ntt_bit_reverse<field>; \
    template [[host_name("ntt_forward_stage" suffix)]] kernel decltype(ntt_forward_stage<field>) ntt_forward_stage<field>; \
    template [[host_name("ntt_inverse_stage" suffix)]] kernel decltype(ntt_inverse_stage<field>) ntt_inverse_stage<field>; \
    template [[host_name("ntt_inverse_final_scale" suffix)]] kernel decltype(ntt_inverse_final_scale<field>) ntt_inverse_final_scale<field>; \
    template [[host_name("ntt_pointwise" suffix)]] kernel decltype(ntt_pointwise<field>) ntt_pointwise<field>; \
    template [[host_name("ntt_forward_tile" suffix)]] kernel decltype(ntt_forward_tile<field>) ntt_forward_tile<field>; \
    template [[host_name("ntt_inverse_tile" suffix)]] kernel decltype(ntt_inverse_tile<field>) ntt_inverse_tile<field>;

// A source that defines NTT_FIELD before it includes this one gets the kernels for that field alone, and not the lazy ones.
#ifdef NTT_FIELD
NTT_KERNELS(NTT_FIELD, "")
#else
NTT_KERNELS(mont63, "")
NTT_KERNELS(mont64, "_wide")
NTT_KERNELS(mont31, "_31")

// ntt_forward_stage_lazy_4q does the butterflies x+w·y, x-w·y of one stage of a transform from natural to bit-reversed order: words in
// [0, 4q) before and after it. Spans are n/2, … 2, 1. Factors are reduced, each with Shoup's; q < 2^62.
//
// Launch:  n/2 threads a transform or more. Barriers: none.
kernel void ntt_forward_stage_lazy_4q(device ulong* x [[buffer(0)]],
                                      device const ulong2* w [[buffer(1)]],
                                      constant mont63& field [[buffer(2)]],
                                      constant uint& n [[buffer(3)]],
                                      constant uint& span [[buffer(4)]],
                                      uint2 id [[thread_position_in_grid]])
{
    if (id.x >= n / 2) {
        return;
    }
    uint k = id.x & (span - 1);
    uint i = id.y * n + 2 * id.x - k;
    ulong u = x[i];
    ulong v = x[i + span];
    forward_butterfly_lazy_4q(u, v, w[(n / 2 + id.x - k) >> ctz(span)], field.q);
    x[i] = u;
    x[i + span] = v;
}

// ntt_inverse_stage_lazy_2q does the butterflies x+y, (x-y)·w of one stage of a transform from bit-reversed to natural order: words in
// [0, 2q) after it, and in [0, 4q) before it. Spans are 1, 2, … n/2. Factors as of ntt_forward_stage_lazy_4q, inverted.
//
// Launch:  n/2 threads a transform or more. Barriers: none.
kernel void ntt_inverse_stage_lazy_2q(device ulong* x [[buffer(0)]],
                                      device const ulong2* w [[buffer(1)]],
                                      constant mont63& field [[buffer(2)]],
                                      constant uint& n [[buffer(3)]],
                                      constant uint& span [[buffer(4)]],
                                      uint2 id [[thread_position_in_grid]])
{
    if (id.x >= n / 2) {
        return;
    }
    ulong q = field.q;
    uint k = id.x & (span - 1);
    uint i = id.y * n + 2 * id.x - k;
    ulong u = x[i];
    ulong v = x[i + span];
    if (span == 1) { // words may come from ntt_forward_stage_lazy_4q
        u = reduce(u, 2 * q);
        v = reduce(v, 2 * q);
    }
    inverse_butterfly_lazy_2q(u, v, w[(n / 2 + id.x - k) >> ctz(span)], q);
    x[i] = u;
    x[i + span] = v;
}

// ntt_reduce_4q takes words from [0, 4q) to [0, q).
//
// Launch:  (n+1)/2 threads a transform or more. Barriers: none.
kernel void ntt_reduce_4q(device ulong* x [[buffer(0)]],
                          constant mont63& field [[buffer(1)]],
                          constant uint& n [[buffer(2)]],
                          uint2 id [[thread_position_in_grid]])
{
    device ulong* a = x + id.y * n;
    uint threads = (n + 1) / 2;
    if (id.x >= threads) {
        return;
    }
    for (uint i = id.x; i < n; i += threads) {
        a[i] = reduce(reduce(a[i], 2 * field.q), field.q);
    }
}

// ntt_scale_lazy_2q multiplies words by scale, 1/n with Shoup's factor. Any words; the results are in [0, 2q).
//
// Launch:  (n+1)/2 threads a transform or more. Barriers: none.
kernel void ntt_scale_lazy_2q(device ulong* x [[buffer(0)]],
                              constant mont63& field [[buffer(1)]],
                              constant uint& n [[buffer(2)]],
                              constant ulong2& scale [[buffer(3)]],
                              uint2 id [[thread_position_in_grid]])
{
    device ulong* a = x + id.y * n;
    uint threads = (n + 1) / 2;
    if (id.x >= threads) {
        return;
    }
    for (uint i = id.x; i < n; i += threads) {
        a[i] = shoup_lazy_2q(a[i], scale, field.q);
    }
}

// ntt_scale is ntt_scale_lazy_2q, reduced.
//
// Launch:  (n+1)/2 threads a transform or more. Barriers: none.
kernel void ntt_scale(device ulong* x [[buffer(0)]],
                      constant mont63& field [[buffer(1)]],
                      constant uint& n [[buffer(2)]],
                      constant ulong2& scale [[buffer(3)]],
                      uint2 id [[thread_position_in_grid]])
{
    device ulong* a = x + id.y * n;
    uint threads = (n + 1) / 2;
    if (id.x >= threads) {
        return;
    }
    for (uint i = id.x; i < n; i += threads) {
        a[i] = reduce(shoup_lazy_2q(a[i], scale, field.q), field.q);
    }
}

// Transforms of 256 points and more, from natural to bit-reversed order and back, two steps of four stages at a time: a thread does a
// step on sixteen words that it holds in registers, and sixteen threads exchange their words in threadgroup memory between two steps.
// So a transform of 2^16 points passes through device memory twice. Tables of factors are those of the lazy stages above, and so are the ranges.

// NTT_16 is f of 0 to 15: indices into arrays of sixteen words have to be constants for these to be registers.
#define NTT_16(f) f(0) f(1) f(2) f(3) f(4) f(5) f(6) f(7) f(8) f(9) f(10) f(11) f(12) f(13) f(14) f(15)

// forward_16_lazy_4q does the four stages of a forward transform of sixteen words, a block of which the first stage has number m-2^k
// of 2^k: its factor is w[m], those of the next stages w[2m] and w[2m+1], w[4m] to w[4m+3], w[8m] to w[8m+7].
inline void forward_16_lazy_4q(thread ulong (&a)[16], device const ulong2* w, uint m, ulong q)
{
    ulong2 f = w[m];
#define NTT_FORWARD(i, j) forward_butterfly_lazy_4q(a[i], a[j], f, q);
    NTT_FORWARD(0, 8) NTT_FORWARD(1, 9) NTT_FORWARD(2, 10) NTT_FORWARD(3, 11)
    NTT_FORWARD(4, 12) NTT_FORWARD(5, 13) NTT_FORWARD(6, 14) NTT_FORWARD(7, 15)
    device const ulong2* v = w + 2 * m;
    f = v[0];
    NTT_FORWARD(0, 4) NTT_FORWARD(1, 5) NTT_FORWARD(2, 6) NTT_FORWARD(3, 7)
    f = v[1];
    NTT_FORWARD(8, 12) NTT_FORWARD(9, 13) NTT_FORWARD(10, 14) NTT_FORWARD(11, 15)
    v = w + 4 * m;
    f = v[0];
    NTT_FORWARD(0, 2) NTT_FORWARD(1, 3)
    f = v[1];
    NTT_FORWARD(4, 6) NTT_FORWARD(5, 7)
    f = v[2];
    NTT_FORWARD(8, 10) NTT_FORWARD(9, 11)
    f = v[3];
    NTT_FORWARD(12, 14) NTT_FORWARD(13, 15)
    v = w + 8 * m;
    f = v[0];
    NTT_FORWARD(0, 1)
    f = v[1];
    NTT_FORWARD(2, 3)
    f = v[2];
    NTT_FORWARD(4, 5)
    f = v[3];
    NTT_FORWARD(6, 7)
    f = v[4];
    NTT_FORWARD(8, 9)
    f = v[5];
    NTT_FORWARD(10, 11)
    f = v[6];
    NTT_FORWARD(12, 13)
    f = v[7];
    NTT_FORWARD(14, 15)
#undef NTT_FORWARD
}

// inverse_8_lazy_2q does the first three of the four stages of an inverse transform of sixteen words in [0, 2q), with factors as
// forward_16_lazy_4q's.
inline void inverse_8_lazy_2q(thread ulong (&a)[16], device const ulong2* w, uint m, ulong q)
{
#define NTT_INVERSE(i, j) inverse_butterfly_lazy_2q(a[i], a[j], f, q);
    device const ulong2* v = w + 8 * m;
    ulong2 f = v[0];
    NTT_INVERSE(0, 1)
    f = v[1];
    NTT_INVERSE(2, 3)
    f = v[2];
    NTT_INVERSE(4, 5)
    f = v[3];
    NTT_INVERSE(6, 7)
    f = v[4];
    NTT_INVERSE(8, 9)
    f = v[5];
    NTT_INVERSE(10, 11)
    f = v[6];
    NTT_INVERSE(12, 13)
    f = v[7];
    NTT_INVERSE(14, 15)
    v = w + 4 * m;
    f = v[0];
    NTT_INVERSE(0, 2) NTT_INVERSE(1, 3)
    f = v[1];
    NTT_INVERSE(4, 6) NTT_INVERSE(5, 7)
    f = v[2];
    NTT_INVERSE(8, 10) NTT_INVERSE(9, 11)
    f = v[3];
    NTT_INVERSE(12, 14) NTT_INVERSE(13, 15)
    v = w + 2 * m;
    f = v[0];
    NTT_INVERSE(0, 4) NTT_INVERSE(1, 5) NTT_INVERSE(2, 6) NTT_INVERSE(3, 7)
    f = v[1];
    NTT_INVERSE(8, 12) NTT_INVERSE(9, 13) NTT_INVERSE(10, 14) NTT_INVERSE(11, 15)
}

// inverse_16_lazy_2q does all four of them.
inline void inverse_16_lazy_2q(thread ulong (&a)[16], device const ulong2* w, uint m, ulong q)
{
    inverse_8_lazy_2q(a, w, m, q);
    ulong2 f = w[m];
    NTT_INVERSE(0, 8) NTT_INVERSE(1, 9) NTT_INVERSE(2, 10) NTT_INVERSE(3, 11)
    NTT_INVERSE(4, 12) NTT_INVERSE(5, 13) NTT_INVERSE(6, 14) NTT_INVERSE(7, 15)
#undef NTT_INVERSE
}

// ntt_forward_columns_lazy_4q does the stages of spans n/2 to n/256 of a forward transform, on words in [0, 4q), of columns i,
// i+n/256, i+2n/256, …: a threadgroup of 16c threads does c neighbouring columns, column by column 16 threads. Factors as of
// ntt_forward_stage_lazy_4q; q < 2^62.
//
// Launch:  16c threads a threadgroup, c a power of two, at most 16 and n/256; n/256/c threadgroups a transform. 256c words of
// threadgroup memory.
// Barriers: one, between the two steps: it orders device memory as well, where other threads write what one has read.
kernel [[max_total_threads_per_threadgroup(256)]]
void ntt_forward_columns_lazy_4q(device ulong* x [[buffer(0)]],
                                 device const ulong2* w [[buffer(1)]],
                                 constant mont63& field [[buffer(2)]],
                                 constant uint& n [[buffer(3)]],
                                 threadgroup ulong* t [[threadgroup(0)]],
                                 uint2 group [[threadgroup_position_in_grid]],
                                 uint id [[thread_index_in_threadgroup]],
                                 uint2 width [[threads_per_threadgroup]])
{
    ulong q = field.q;
    uint c = width.x / 16;
    uint stride = n / 256;
    uint column = id & (c - 1);
    uint k = id >> ctz(c);
    device ulong* p = x + (group.y * n + group.x * c + column);
    ulong a[16];
    device ulong* from = p + k * stride;
#define NTT_LOAD(j) a[j] = from[16 * j * stride];
    NTT_16(NTT_LOAD)
#undef NTT_LOAD
    forward_16_lazy_4q(a, w, 1, q);
    threadgroup ulong* put = t + id;
#define NTT_PUT(j) put[16 * j * c] = a[j];
    NTT_16(NTT_PUT)
#undef NTT_PUT
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    threadgroup ulong* take = t + (16 * k * c + column);
#define NTT_TAKE(j) a[j] = take[j * c];
    NTT_16(NTT_TAKE)
#undef NTT_TAKE
    forward_16_lazy_4q(a, w, 16 + k, q);
    device ulong* to = p + 16 * k * stride;
#define NTT_STORE(j) to[j * stride] = a[j];
    NTT_16(NTT_STORE)
#undef NTT_STORE
}

// ntt_forward_rows does the stages of spans 128 to 1 of a forward transform, on words in [0, 4q), and reduces them: of rows of 256
// neighbouring words. A threadgroup of 16c threads does the same row of c transforms, so that they share its factors; 16 threads
// do a row. Factors as of ntt_forward_stage_lazy_4q; q < 2^62.
//
// Launch:  16c threads a threadgroup, c a power of two, at most 16; n/256 threadgroups along x, and along y one for c of count transforms.
// 256c words of threadgroup memory. Word l of sixteen in part h of a row stands at place l^h there: so sixteen threads find their
// words in different banks, whether they go across the parts or along them.
// Barriers: one after each step.
kernel [[max_total_threads_per_threadgroup(256)]]
void ntt_forward_rows(device ulong* x [[buffer(0)]],
                      device const ulong2* w [[buffer(1)]],
                      constant mont63& field [[buffer(2)]],
                      constant uint& n [[buffer(3)]],
                      constant uint& count [[buffer(4)]],
                      threadgroup ulong* t [[threadgroup(0)]],
                      uint2 group [[threadgroup_position_in_grid]],
                      uint id [[thread_index_in_threadgroup]],
                      uint2 width [[threads_per_threadgroup]])
{
    ulong q = field.q;
    uint k = id & 15;
    uint row = id / 16;
    uint m = n / 256 + group.x;
    uint transform = group.y * (width.x / 16) + row;
    bool some = transform < count;
    device ulong* p = x + (transform * n + group.x * 256 + k);
    threadgroup ulong* s = t + row * 256;
    if (some) {
        ulong a[16];
#define NTT_LOAD(j) a[j] = p[16 * j];
        NTT_16(NTT_LOAD)
#undef NTT_LOAD
        forward_16_lazy_4q(a, w, m, q);
#define NTT_PUT(j) s[16 * j + (k ^ j)] = a[j];
        NTT_16(NTT_PUT)
#undef NTT_PUT
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (some) {
        ulong a[16];
        threadgroup ulong* part = s + 16 * k;
#define NTT_TAKE(j) a[j] = part[k ^ j];
        NTT_16(NTT_TAKE)
#undef NTT_TAKE
        forward_16_lazy_4q(a, w, 16 * m + k, q);
#define NTT_PUT(j) part[k ^ j] = a[j];
        NTT_16(NTT_PUT)
#undef NTT_PUT
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (some) {
#define NTT_STORE(j) p[16 * j] = reduce(reduce(s[16 * j + (k ^ j)], 2 * q), q);
        NTT_16(NTT_STORE)
#undef NTT_STORE
    }
}

// ntt_inverse_rows_lazy_2q does the stages of spans 1 to 128 of an inverse transform, of rows as ntt_forward_rows does them: words in
// [0, 4q) before and [0, 2q) after it. Factors as of ntt_inverse_stage_lazy_2q.
//
// Launch:  as of ntt_forward_rows.
// Barriers: one before each step.
kernel [[max_total_threads_per_threadgroup(256)]]
void ntt_inverse_rows_lazy_2q(device ulong* x [[buffer(0)]],
                              device const ulong2* w [[buffer(1)]],
                              constant mont63& field [[buffer(2)]],
                              constant uint& n [[buffer(3)]],
                              constant uint& count [[buffer(4)]],
                              threadgroup ulong* t [[threadgroup(0)]],
                              uint2 group [[threadgroup_position_in_grid]],
                              uint id [[thread_index_in_threadgroup]],
                              uint2 width [[threads_per_threadgroup]])
{
    ulong q = field.q;
    uint k = id & 15;
    uint row = id / 16;
    uint m = n / 256 + group.x;
    uint transform = group.y * (width.x / 16) + row;
    bool some = transform < count;
    device ulong* p = x + (transform * n + group.x * 256 + k);
    threadgroup ulong* s = t + row * 256;
    if (some) {
#define NTT_PUT(j) s[16 * j + (k ^ j)] = reduce(p[16 * j], 2 * q);
        NTT_16(NTT_PUT)
#undef NTT_PUT
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (some) {
        ulong a[16];
        threadgroup ulong* part = s + 16 * k;
#define NTT_TAKE(j) a[j] = part[k ^ j];
        NTT_16(NTT_TAKE)
#undef NTT_TAKE
        inverse_16_lazy_2q(a, w, 16 * m + k, q);
#define NTT_PUT(j) part[k ^ j] = a[j];
        NTT_16(NTT_PUT)
#undef NTT_PUT
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (some) {
        ulong a[16];
#define NTT_TAKE(j) a[j] = s[16 * j + (k ^ j)];
        NTT_16(NTT_TAKE)
#undef NTT_TAKE
        inverse_16_lazy_2q(a, w, m, q);
#define NTT_STORE(j) p[16 * j] = a[j];
        NTT_16(NTT_STORE)
#undef NTT_STORE
    }
}

// ntt_inverse_columns does the stages of spans n/256 to n/2 of an inverse transform, on words in [0, 2q), of columns as
// ntt_forward_columns_lazy_4q does them, and multiplies by 1/n: the results are reduced. The last stage does both: its sums are
// multiplied by scale[0], which is 1/n with Shoup's factor, and its differences by scale[1], which is w[1]/n.
//
// Launch:  as of ntt_forward_columns_lazy_4q.
// Barriers: one, between the two steps: it orders device memory as well, where other threads write what one has read.
kernel [[max_total_threads_per_threadgroup(256)]]
void ntt_inverse_columns(device ulong* x [[buffer(0)]],
                         device const ulong2* w [[buffer(1)]],
                         constant mont63& field [[buffer(2)]],
                         constant uint& n [[buffer(3)]],
                         constant ulong2* scale [[buffer(4)]],
                         threadgroup ulong* t [[threadgroup(0)]],
                         uint2 group [[threadgroup_position_in_grid]],
                         uint id [[thread_index_in_threadgroup]],
                         uint2 width [[threads_per_threadgroup]])
{
    ulong q = field.q;
    uint c = width.x / 16;
    uint stride = n / 256;
    uint column = id & (c - 1);
    uint k = id >> ctz(c);
    device ulong* p = x + (group.y * n + group.x * c + column);
    ulong a[16];
    device ulong* from = p + 16 * k * stride;
#define NTT_LOAD(j) a[j] = from[j * stride];
    NTT_16(NTT_LOAD)
#undef NTT_LOAD
    inverse_16_lazy_2q(a, w, 16 + k, q);
    threadgroup ulong* put = t + (16 * k * c + column);
#define NTT_PUT(j) put[j * c] = a[j];
    NTT_16(NTT_PUT)
#undef NTT_PUT
    threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
    threadgroup ulong* take = t + id;
#define NTT_TAKE(j) a[j] = take[16 * j * c];
    NTT_16(NTT_TAKE)
#undef NTT_TAKE
    inverse_8_lazy_2q(a, w, 1, q);
    ulong2 sums = scale[0];
    ulong2 differences = scale[1];
    device ulong* to = p + k * stride;
#define NTT_STORE(i, j) \
    to[16 * i * stride] = reduce(shoup_lazy_2q(a[i] + a[j], sums, q), q); \
    to[16 * j * stride] = reduce(shoup_lazy_2q(a[i] + 2 * q - a[j], differences, q), q);
    NTT_STORE(0, 8) NTT_STORE(1, 9) NTT_STORE(2, 10) NTT_STORE(3, 11)
    NTT_STORE(4, 12) NTT_STORE(5, 13) NTT_STORE(6, 14) NTT_STORE(7, 15)
#undef NTT_STORE
}

// Two stages at a time, of radix 4: a thread does them on four words that it holds in registers. Tables of factors are those of the lazy stages above, and so are
// the ranges.

// ntt_forward_fours_lazy_4q does the stages of spans span and span/2 of a forward transform, as ntt_forward_stage_lazy_4q does one.
//
// Launch:  n/4 threads a transform or more. Barriers: none.
kernel void ntt_forward_fours_lazy_4q(device ulong* x [[buffer(0)]],
                                      device const ulong2* w [[buffer(1)]],
                                      constant mont63& field [[buffer(2)]],
                                      constant uint& n [[buffer(3)]],
                                      constant uint& span [[buffer(4)]],
                                      uint2 id [[thread_position_in_grid]])
{
    if (id.x >= n / 4) {
        return;
    }
    ulong q = field.q;
    uint quarter = span / 2;
    uint k = id.x & (quarter - 1);
    device ulong* p = x + (id.y * n + 4 * id.x - 3 * k);
    uint m = (n / 4 + id.x - k) >> ctz(quarter);
    ulong a = p[0];
    ulong b = p[quarter];
    ulong c = p[2 * quarter];
    ulong d = p[3 * quarter];
    ulong2 f = w[m];
    forward_butterfly_lazy_4q(a, c, f, q);
    forward_butterfly_lazy_4q(b, d, f, q);
    forward_butterfly_lazy_4q(a, b, w[2 * m], q);
    forward_butterfly_lazy_4q(c, d, w[2 * m + 1], q);
    p[0] = a;
    p[quarter] = b;
    p[2 * quarter] = c;
    p[3 * quarter] = d;
}

// ntt_inverse_fours_lazy_2q does the stages of spans span and 2·span of an inverse transform, as ntt_inverse_stage_lazy_2q does one.
//
// Launch:  n/4 threads a transform or more. Barriers: none.
kernel void ntt_inverse_fours_lazy_2q(device ulong* x [[buffer(0)]],
                                      device const ulong2* w [[buffer(1)]],
                                      constant mont63& field [[buffer(2)]],
                                      constant uint& n [[buffer(3)]],
                                      constant uint& span [[buffer(4)]],
                                      uint2 id [[thread_position_in_grid]])
{
    if (id.x >= n / 4) {
        return;
    }
    ulong q = field.q;
    uint k = id.x & (span - 1);
    device ulong* p = x + (id.y * n + 4 * id.x - 3 * k);
    uint m = (n / 4 + id.x - k) >> ctz(span);
    ulong a = p[0];
    ulong b = p[span];
    ulong c = p[2 * span];
    ulong d = p[3 * span];
    if (span == 1) { // words may come from ntt_forward_fours_lazy_4q
        a = reduce(a, 2 * q);
        b = reduce(b, 2 * q);
        c = reduce(c, 2 * q);
        d = reduce(d, 2 * q);
    }
    inverse_butterfly_lazy_2q(a, b, w[2 * m], q);
    inverse_butterfly_lazy_2q(c, d, w[2 * m + 1], q);
    ulong2 f = w[m];
    inverse_butterfly_lazy_2q(a, c, f, q);
    inverse_butterfly_lazy_2q(b, d, f, q);
    p[0] = a;
    p[span] = b;
    p[2 * span] = c;
    p[3 * span] = d;
}
#endif
