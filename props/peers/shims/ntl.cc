// Arithmetic of NTL modulo single-precision n, on rows of words.
#include <NTL/ZZ.h>
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
