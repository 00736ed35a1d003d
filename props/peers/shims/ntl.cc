// Arithmetic of NTL modulo single-precision n, on rows of words, its transforms, and products of polynomials.
#include <NTL/FFT.h>
#include <NTL/ZZ.h>
#include <NTL/lzz_pX.h>
#include <cstddef>
#include <cstdint>

using namespace NTL;

#define ROWS(name, prepare, in, call) \
    extern "C" void name(uint64_t q, uint64_t *dst, const uint64_t *src, int64_t rows) { \
        const long n = (long)q; \
        prepare; \
        for (int64_t i = 0; i < rows; i++, src += in) { \
            const long a = (long)src[0], b = in > 1 ? (long)src[in - 1] : 0; \
            (void)b; \
            dst[i] = (uint64_t)(call); \
        } \
    }

ROWS(ntl_MulMod, , 2, MulMod(a, b, n))
ROWS(ntl_MulMod_inverse, mulmod_t inverse = PrepMulMod(n), 2, MulMod(a, b, n, inverse))
ROWS(ntl_MulModPrecon, , 2, MulModPrecon(a, b, n, PrepMulModPrecon(b, n)))
ROWS(ntl_AddMod, , 2, AddMod(a, b, n))
ROWS(ntl_SubMod, , 2, SubMod(a, b, n))
ROWS(ntl_NegateMod, , 1, NegateMod(a, n))
ROWS(ntl_InvMod, , 1, GCD(a, n) == 1 ? InvMod(a, n) : 0)

// logOf returns the logarithm of a length that NTL has transforms of modulo q, which becomes its modulus, or -1.
static long logOf(uint64_t q, uint64_t n) {
    long k = 0;
    while (k < 62 && uint64_t(1) << k < n) k++;
    if (uint64_t(1) << k != n || k > CalcMaxRoot((long)q)) return -1;
    if (!zz_pInfo || zz_p::modulus() != (long)q || !zz_pInfo->p_info) {
        SetSeed(ZZ((long)q)); // the root is drawn
        zz_p::UserFFTInit((long)q);
    }
    return k;
}

// Transforms from the natural order to the bit-reversed one, and back.
extern "C" int ntl_fft(uint64_t q, uint64_t root, uint64_t *dst, const uint64_t *src, size_t n, int direction) {
    const long k = logOf(q, n);
    if (k < 0) return 1;
    Vec<long> x, y;
    x.SetLength(n), y.SetLength(n);
    for (size_t i = 0; i < n; i++) x[i] = (long)src[i];
    if (direction < 0) FFTFwd(y.elts(), x.elts(), k, *zz_pInfo->p_info);
    else FFTRev1(y.elts(), x.elts(), k, *zz_pInfo->p_info);
    for (size_t i = 0; i < n; i++) dst[i] = (uint64_t)y[i];
    return 0;
}

// The root of order src[i] that its transforms take.
extern "C" void ntl_root(uint64_t q, uint64_t *dst, const uint64_t *src, int64_t rows) {
    for (int64_t i = 0; i < rows; i++) {
        const long k = logOf(q, src[i]);
        dst[i] = k < 0 ? 0 : k == 0 ? 1 : (uint64_t)zz_pInfo->p_info->RootTable[0][k];
    }
}

// The product of the polynomials src[0 … n-1] and src[n … 2n-1] modulo x^n - 1.
extern "C" void ntl_mul(uint64_t q, uint64_t *dst, const uint64_t *src, int64_t n) {
    if (!zz_pInfo || zz_p::modulus() != (long)q) zz_p::init((long)q);
    zz_pX a, b;
    for (long i = 0; i < n; i++) SetCoeff(a, i, (long)src[i]), SetCoeff(b, i, (long)src[n + i]);
    mul(a, a, b);
    for (long i = 0; i < n; i++) dst[i] = (uint64_t)rep(coeff(a, i) + coeff(a, i + n));
}
