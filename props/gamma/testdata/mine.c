// Functions of a library for claim_test.go: right ones, and wrong ones with what is wrong in their names.
#include <math.h>
#include <stddef.h>
#include <stdint.h>

float sum(const float *x, size_t n)
{
    float s = 0;
    for (size_t i = 0; i < n; i++) s += x[i];
    return s;
}

float sum_drops(const float *x, size_t n)
{
    float s = 0;
    for (size_t i = 0; i + 4 <= n; i += 4) s += (x[i] + x[i + 1]) + (x[i + 2] + x[i + 3]);
    return s;
}

double dot64(int n, const double *x, int incx, const double *y, int incy)
{
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i * incx] * y[i * incy];
    return s;
}

void softmax(const float *x, float *dst, int n)
{
    float most = -INFINITY, s = 0;
    for (int i = 0; i < n; i++) most = fmaxf(most, x[i]);
    for (int i = 0; i < n; i++) s += dst[i] = expf(x[i] - most);
    for (int i = 0; i < n; i++) dst[i] /= s;
}

void softmax_naive(const float *x, float *dst, int n)
{
    float s = 0;
    for (int i = 0; i < n; i++) s += dst[i] = expf(x[i]);
    for (int i = 0; i < n; i++) dst[i] /= s;
}

void crash(const float *x, float *dst, int n) { *(volatile int *)0 = 1; }

// The same sum in other ways, for TestSuggest.
double sum64(const double *x, size_t n)
{
    double s = 0;
    for (size_t i = 0; i < n; i++) s += x[i];
    return s;
}

float sum_double(const float *x, size_t n)
{
    double s = 0;
    for (size_t i = 0; i < n; i++) s += x[i];
    return (float)s;
}

float sum_halves(const float *x, size_t n)
{
    if (n < 2) return n == 0 ? 0 : x[0];
    return sum_halves(x, n / 2) + sum_halves(x + n / 2, n - n / 2);
}

float sum_kahan(const float *x, size_t n)
{
    float s = 0, c = 0;
    for (size_t i = 0; i < n; i++) {
        float y = x[i] - c, t = s + y;
        c = (t - s) - y;
        s = t;
    }
    return s;
}

float dot(const float *x, const float *y, size_t n)
{
    float s = 0;
    for (size_t i = 0; i < n; i++) s += x[i] * y[i];
    return s;
}

float hang(const float *x, size_t n)
{
    volatile int forever = 1;
    while (forever) {
    }
    return x[n];
}

// Operations: rows one after the other.
void two_sum(float *dst, const float *src, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        float a = src[2 * i], b = src[2 * i + 1], s = a + b, t = s - a;
        dst[2 * i] = s;
        dst[2 * i + 1] = (a - (s - t)) + (b - t);
    }
}

void fast_two_sum64(double *dst, const double *src, size_t rows)
{
    for (size_t i = 0; i < rows; i++) {
        double a = src[2 * i], b = src[2 * i + 1], s = a + b;
        dst[2 * i] = s;
        dst[2 * i + 1] = b - (s - a); // right for |a| >= |b| alone
    }
}

// Residues in words of 32 and 64 bits.
int mul_mod(uint32_t q, uint32_t *dst, const uint32_t *src, size_t rows)
{
    if (q % 2 == 0 || q < 3) return 1;
    for (size_t i = 0; i < rows; i++) dst[i] = (uint32_t)((uint64_t)src[2 * i] * src[2 * i + 1] % q);
    return 0;
}

int mul_mod_wraps(uint64_t q, uint64_t *dst, const uint64_t *src, size_t rows)
{
    if (q % 2 == 0 || q < 3) return 1;
    for (size_t i = 0; i < rows; i++) dst[i] = src[2 * i] * src[2 * i + 1] % q;
    return 0;
}

static uint64_t power(uint64_t b, uint64_t e, uint64_t q)
{
    uint64_t r = 1 % q;
    for (; e; e >>= 1, b = b * b % q)
        if (e & 1) r = r * b % q;
    return r;
}

static int transform(uint64_t q, uint64_t root, uint64_t *dst, const uint64_t *src, size_t n, int direction, int scaled)
{
    uint64_t w = direction < 0 ? root : power(root, n - 1, q), f = direction < 0 || !scaled ? 1 : power(n % q, q - 2, q);
    for (size_t k = 0; k < n; k++) {
        uint64_t s = 0;
        for (size_t j = 0; j < n; j++) s = (s + src[j] % q * power(w, j * k, q)) % q;
        dst[k] = s * f % q;
    }
    return 0;
}

int ntt(uint64_t q, uint64_t root, uint64_t *dst, const uint64_t *src, size_t n, int direction) { return transform(q, root, dst, src, n, direction, 1); }
int ntt_unscaled(uint64_t q, uint64_t root, uint64_t *dst, const uint64_t *src, size_t n, int direction) { return transform(q, root, dst, src, n, direction, 0); }
