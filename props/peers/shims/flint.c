// Arithmetic of FLINT modulo n, on rows of words.
#include <flint/flint.h>
#include <flint/nmod_vec.h>
#include <flint/ulong_extras.h>
#include <stdint.h>

#define ROWS(name, prepare, in, call) \
    void name(uint64_t q, uint64_t *dst, const uint64_t *src, int64_t rows) { \
        prepare; \
        for (int64_t i = 0; i < rows; i++, src += in) dst[i] = call; \
    }
#define MOD nmod_t mod; nmod_init(&mod, q)

ROWS(f_nmod_mul, MOD, 2, nmod_mul(src[0], src[1], mod))
ROWS(f_nmod_add, MOD, 2, nmod_add(src[0], src[1], mod))
ROWS(f_nmod_sub, MOD, 2, nmod_sub(src[0], src[1], mod))
ROWS(f_nmod_neg, MOD, 1, nmod_neg(src[0], mod))
ROWS(f_nmod_inv, MOD, 1, n_gcd(src[0], q) == 1 ? nmod_inv(src[0], mod) : 0)
ROWS(f_n_mulmod2, (void)q, 2, n_mulmod2(src[0], src[1], q))
ROWS(f_n_mulmod_precomp, double inverse = n_precompute_inverse(q), 2, n_mulmod_precomp(src[0], src[1], q, inverse))
ROWS(f_n_mulmod_shoup, (void)q, 2, n_mulmod_shoup(src[0], src[1], n_mulmod_precomp_shoup(src[0], q), q))
