// Operations modulo an odd q, a row a thread. Host code and claims: modular.go.
//
// A row of operands stands in x, one word after the other, and a row of results in z. Buffers: x, z, the number n of rows and the
// field; threads beyond n do nothing. Words are reduced where a comment does not say another range. Every kernel is made for the
// three fields of modular.h: name is that for q < 2^63, name_wide for q < 2^64, name_31 for q < 2^31.
//
// Launch:  n threads or more. Barriers: none.

#include <metal_stdlib>
using namespace metal;

#include "modular.h"

// mont_mul writes a·b/R for rows a, b: the product in Montgomery's domain.
template <typename F>
kernel void mont_mul(device const typename F::word* x [[buffer(0)]],
                     device typename F::word* z [[buffer(1)]],
                     constant uint& n [[buffer(2)]],
                     constant F& field [[buffer(3)]],
                     uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    F f = field;
    z[i] = f.mul(x[2 * i], x[2 * i + 1]);
}

// mod_mul writes a·b for rows a, b.
template <typename F>
kernel void mod_mul(device const typename F::word* x [[buffer(0)]],
                    device typename F::word* z [[buffer(1)]],
                    constant uint& n [[buffer(2)]],
                    constant F& field [[buffer(3)]],
                    uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    F f = field;
    z[i] = f.mul(f.mul(x[2 * i], f.r2), x[2 * i + 1]);
}

// mod_add writes a+b for rows a, b.
template <typename F>
kernel void mod_add(device const typename F::word* x [[buffer(0)]],
                    device typename F::word* z [[buffer(1)]],
                    constant uint& n [[buffer(2)]],
                    constant F& field [[buffer(3)]],
                    uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    F f = field;
    z[i] = f.add(x[2 * i], x[2 * i + 1]);
}

// mod_sub writes a-b for rows a, b.
template <typename F>
kernel void mod_sub(device const typename F::word* x [[buffer(0)]],
                    device typename F::word* z [[buffer(1)]],
                    constant uint& n [[buffer(2)]],
                    constant F& field [[buffer(3)]],
                    uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    F f = field;
    z[i] = f.sub(x[2 * i], x[2 * i + 1]);
}

// mod_neg writes -a for rows a.
template <typename F>
kernel void mod_neg(device const typename F::word* x [[buffer(0)]],
                    device typename F::word* z [[buffer(1)]],
                    constant uint& n [[buffer(2)]],
                    constant F& field [[buffer(3)]],
                    uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    F f = field;
    z[i] = f.sub(0, x[i]);
}

// mont_into writes a·R for rows a of any words: into Montgomery's domain.
template <typename F>
kernel void mont_into(device const typename F::word* x [[buffer(0)]],
                      device typename F::word* z [[buffer(1)]],
                      constant uint& n [[buffer(2)]],
                      constant F& field [[buffer(3)]],
                      uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    F f = field;
    z[i] = f.mul(x[i], f.r2);
}

// mont_out_of writes a/R for rows a of any words: out of Montgomery's domain.
template <typename F>
kernel void mont_out_of(device const typename F::word* x [[buffer(0)]],
                        device typename F::word* z [[buffer(1)]],
                        constant uint& n [[buffer(2)]],
                        constant F& field [[buffer(3)]],
                        uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    F f = field;
    z[i] = f.mul(x[i], 1);
}

// mont_forward_butterfly writes a+w·b and a-w·b for rows a, b, w, where w is in Montgomery's domain.
template <typename F>
kernel void mont_forward_butterfly(device const typename F::word* x [[buffer(0)]],
                                   device typename F::word* z [[buffer(1)]],
                                   constant uint& n [[buffer(2)]],
                                   constant F& field [[buffer(3)]],
                                   uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    F f = field;
    typename F::word a = x[3 * i];
    typename F::word b = x[3 * i + 1];
    forward_butterfly(f, a, b, x[3 * i + 2]);
    z[2 * i] = a;
    z[2 * i + 1] = b;
}

// mont_inverse_butterfly writes a+b and (a-b)·w for rows a, b, w, where w is in Montgomery's domain.
template <typename F>
kernel void mont_inverse_butterfly(device const typename F::word* x [[buffer(0)]],
                                   device typename F::word* z [[buffer(1)]],
                                   constant uint& n [[buffer(2)]],
                                   constant F& field [[buffer(3)]],
                                   uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    F f = field;
    typename F::word a = x[3 * i];
    typename F::word b = x[3 * i + 1];
    inverse_butterfly(f, a, b, x[3 * i + 2]);
    z[2 * i] = a;
    z[2 * i + 1] = b;
}

// MODULAR_KERNELS makes the kernels above for a field, with a suffix to their names.
#define MODULAR_KERNELS(field, suffix) \
    template [[host_name("mont_mul" suffix)]] kernel decltype(mont_mul<field>) mont_mul<field>; \
    template [[host_name("mod_mul" suffix)]] kernel decltype(mod_mul<field>) mod_mul<field>; \
    template [[host_name("mod_add" suffix)]] kernel decltype(mod_add<field>) mod_add<field>; \
    template [[host_name("mod_sub" suffix)]] kernel decltype(mod_sub<field>) mod_sub<field>; \
    template [[host_name("mod_neg" suffix)]] kernel decltype(mod_neg<field>) mod_neg<field>; \
    template [[host_name("mont_into" suffix)]] kernel decltype(mont_into<field>) mont_into<field>; \
    template [[host_name("mont_out_of" suffix)]] kernel decltype(mont_out_of<field>) mont_out_of<field>; \
    template [[host_name("mont_forward_butterfly" suffix)]] kernel decltype(mont_forward_butterfly<field>) mont_forward_butterfly<field>; \
    template [[host_name("mont_inverse_butterfly" suffix)]] kernel decltype(mont_inverse_butterfly<field>) mont_inverse_butterfly<field>;

// A source that defines MODULAR_FIELD before it includes this one gets the kernels for that field alone.
#ifdef MODULAR_FIELD
MODULAR_KERNELS(MODULAR_FIELD, "")
#else
MODULAR_KERNELS(mont63, "")
MODULAR_KERNELS(mont64, "_wide")
MODULAR_KERNELS(mont31, "_31")

// shoup_mul_lazy_2q writes a·w in [0, 2q) for rows a, w, w' of any word a, a reduced w and w' = ⌊w·2^64/q⌋. q < 2^63.
kernel void shoup_mul_lazy_2q(device const ulong* x [[buffer(0)]],
                              device ulong* z [[buffer(1)]],
                              constant uint& n [[buffer(2)]],
                              constant ulong& q [[buffer(3)]],
                              uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = shoup_lazy_2q(x[3 * i], ulong2(x[3 * i + 1], x[3 * i + 2]), q);
}

// shoup_mul is shoup_mul_lazy_2q, reduced.
kernel void shoup_mul(device const ulong* x [[buffer(0)]],
                      device ulong* z [[buffer(1)]],
                      constant uint& n [[buffer(2)]],
                      constant ulong& q [[buffer(3)]],
                      uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = reduce(shoup_lazy_2q(x[3 * i], ulong2(x[3 * i + 1], x[3 * i + 2]), q), q);
}

// shoup_forward_butterfly_lazy_4q writes a+w·b and a-w·b for rows a, b, w, w': a and b in [0, 4q), as are the results. q < 2^62.
kernel void shoup_forward_butterfly_lazy_4q(device const ulong4* x [[buffer(0)]],
                                            device ulong2* z [[buffer(1)]],
                                            constant uint& n [[buffer(2)]],
                                            constant ulong& q [[buffer(3)]],
                                            uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    ulong a = x[i].x;
    ulong b = x[i].y;
    forward_butterfly_lazy_4q(a, b, x[i].zw, q);
    z[i] = ulong2(a, b);
}

// shoup_inverse_butterfly_lazy_2q writes a+b and (a-b)·w for rows a, b, w, w': a and b in [0, 2q), as are the results. q < 2^62.
kernel void shoup_inverse_butterfly_lazy_2q(device const ulong4* x [[buffer(0)]],
                                            device ulong2* z [[buffer(1)]],
                                            constant uint& n [[buffer(2)]],
                                            constant ulong& q [[buffer(3)]],
                                            uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    ulong a = x[i].x;
    ulong b = x[i].y;
    inverse_butterfly_lazy_2q(a, b, x[i].zw, q);
    z[i] = ulong2(a, b);
}
#endif
