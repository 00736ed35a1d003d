// Arithmetic of FLINT modulo n, on rows of words, its transforms, and products of polynomials.
#include <flint/flint.h>
#include <flint/fft.h>
#include <flint/fmpz_poly.h>
#include <flint/nmod_poly.h>
#include <flint/nmod_vec.h>
#include <flint/ulong_extras.h>
#include <stdint.h>
#include <stdlib.h>

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

// fermat runs FLINT's transforms of Schönhage and Strassen, forward from the natural order to the bit-reversed one and backward, unscaled, modulo 2^(64·limbs) + 1, a
// multiple of q, by the root 2^(128·limbs/n) of order n. A residue becomes a number of all limbs, a multiple of q added, and what comes out is reduced modulo q.
static int fermat(uint64_t q, uint64_t *dst, const uint64_t *src, size_t n, int direction, mp_size_t limbs) {
    if (n < 2 || (n & (n - 1)) != 0 || n > 128 * (size_t)limbs) return 1;
    mp_limb_t *space = calloc((n + 2) * (limbs + 2), sizeof *space), **at = malloc((n + 2) * sizeof *at);
    mpz_t p, x, more;
    mpz_init_set_ui(p, 1), mpz_init(x), mpz_init(more);
    mpz_mul_2exp(p, p, 64 * limbs), mpz_add_ui(p, p, 1);
    int failed = !space || !at || !mpz_divisible_ui_p(p, q);
    uint64_t state = 0x9e3779b97f4a7c15;
    for (size_t i = 0; i < n + 2 && !failed; i++) {
        at[i] = space + i * (limbs + 2);
        if (i >= n) continue;
        mpz_set_ui(more, 0);
        for (mp_size_t k = 0; k < limbs; k++) {
            state = (state ^ src[i]) * 0xbf58476d1ce4e5b9 + 0x94d049bb133111eb, state ^= state >> 29;
            mpz_mul_2exp(more, more, 64), mpz_add_ui(more, more, state);
        }
        mpz_mul_ui(x, more, q), mpz_add_ui(x, x, src[i]), mpz_mod(x, x, p);
        for (size_t k = 0; k < mpz_size(x); k++) at[i][k] = mpz_getlimbn(x, k);
    }
    if (!failed) {
        (direction < 0 ? fft_radix2 : ifft_radix2)(at, n / 2, 128 * limbs / n, &at[n], &at[n + 1]);
        for (size_t i = 0; i < n; i++) {
            mpn_normmod_2expp1(at[i], limbs), fermat_to_mpz(x, at[i], limbs);
            dst[i] = mpz_fdiv_ui(x, q);
        }
    }
    mpz_clear(p), mpz_clear(x), mpz_clear(more), free(space), free(at);
    return failed;
}

int f_fft_1(uint64_t q, uint64_t root, uint64_t *dst, const uint64_t *src, size_t n, int direction) { return fermat(q, dst, src, n, direction, 1); }
int f_fft_64(uint64_t q, uint64_t root, uint64_t *dst, const uint64_t *src, size_t n, int direction) { return fermat(q, dst, src, n, direction, 64); }

// Products of the polynomials src[0 … n-1] and src[n … 2n-1] modulo x^n - 1.
void f_nmod_poly_mul(uint64_t q, uint64_t *dst, const uint64_t *src, int64_t n) {
    nmod_poly_t a, b;
    nmod_poly_init(a, q), nmod_poly_init(b, q);
    for (int64_t i = 0; i < n; i++) nmod_poly_set_coeff_ui(a, i, src[i]), nmod_poly_set_coeff_ui(b, i, src[n + i]);
    nmod_poly_mul(a, a, b);
    for (int64_t i = 0; i < n; i++) dst[i] = nmod_add(nmod_poly_get_coeff_ui(a, i), nmod_poly_get_coeff_ui(a, i + n), a->mod);
    nmod_poly_clear(a), nmod_poly_clear(b);
}

void f_fmpz_poly_mul_SS(uint64_t q, uint64_t *dst, const uint64_t *src, int64_t n) {
    fmpz_poly_t a, b;
    fmpz_t x, y;
    fmpz_poly_init(a), fmpz_poly_init(b), fmpz_init(x), fmpz_init(y);
    for (int64_t i = 0; i < n; i++) fmpz_poly_set_coeff_ui(a, i, src[i]), fmpz_poly_set_coeff_ui(b, i, src[n + i]);
    fmpz_poly_mul_SS(a, a, b);
    for (int64_t i = 0; i < n; i++) {
        fmpz_poly_get_coeff_fmpz(x, a, i), fmpz_poly_get_coeff_fmpz(y, a, i + n), fmpz_add(x, x, y);
        dst[i] = fmpz_fdiv_ui(x, q);
    }
    fmpz_poly_clear(a), fmpz_poly_clear(b), fmpz_clear(x), fmpz_clear(y);
}
