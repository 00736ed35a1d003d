#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

float sum(const float *x, size_t n) {
    float s = 0;
    for (size_t i = 0; i < n; i++) s += x[i];
    return s;
}

float sum_env(const float *x, size_t n) {
    const char *factor = getenv("GAMMA_TEST_FACTOR");
    return sum(x, n) * (factor ? atoi(factor) : 1);
}

double sum64(const double *x, int n) {
    double s = 0;
    for (int i = 0; i < n; i++) s += x[i];
    return s;
}

void sum_to(float *out, const float *x, unsigned long n) { *out = sum(x, n); }

float sum_without_last(const float *x, size_t n) { return n == 0 ? 0 : sum(x, n - 1); }

float sum_strided(int n, const float *x, int incx) {
    float s = 0;
    for (int i = 0; i < n; i++) s += x[(size_t)i * incx];
    return s;
}

float dot_strided(int n, const float *x, int incx, const float *y, int incy) {
    float s = 0;
    for (int i = 0; i < n; i++) { volatile float p = x[(size_t)i * incx] * y[(size_t)i * incy]; s += p; }
    return s;
}

float crash(const float *x, size_t n) {
    if (n > 4) *(volatile int *)8 = 1;
    return sum(x, n);
}

float hang(const float *x, size_t n) {
    while (n > 4) usleep(1000);
    return sum(x, n);
}

float leave_upward(const float *x, size_t n) {
    float s = sum(x, n);
    fesetround(FE_UPWARD);
    return s;
}

float write_input(float *x, size_t n) {
    if (n > 0) x[0] = 0;
    return sum(x, n);
}

void write_outside(float *out, const float *x, size_t n) { out[0] = sum(x, n); out[1] = 1; }

float print(const float *x, size_t n) {
    printf("a sum of %zu numbers\n", n);
    fflush(stdout);
    return sum(x, n);
}

float leave(const float *x, size_t n) { exit(7); }

/* C = alpha A B + beta C, row by row. */
void gemm(int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc) {
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            float s = 0;
            for (int l = 0; l < k; l++) { volatile float p = a[i * lda + l] * b[l * ldb + j]; s += p; }
            volatile float p = alpha * s, q = beta * c[i * ldc + j];
            c[i * ldc + j] = p + q;
        }
}

/* It takes ldc for the number of columns. */
void gemm_dense(int m, int n, int k, float alpha, const float *a, int lda, const float *b, int ldb, float beta, float *c, int ldc) {
    gemm(m, n, k, alpha, a, lda, b, ldb, beta, c, n);
}

void softmax(const float *x, float *dst, int n) {
    float m = -INFINITY, s = 0;
    for (int i = 0; i < n; i++) if (x[i] > m || isnan(x[i])) m = x[i];
    for (int i = 0; i < n; i++) { dst[i] = expf(x[i] - m); s += dst[i]; }
    for (int i = 0; i < n; i++) dst[i] /= s;
}

/* The greatest is not subtracted. */
void softmax_naive(const float *x, float *dst, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) { dst[i] = expf(x[i]); s += dst[i]; }
    for (int i = 0; i < n; i++) dst[i] /= s;
}

void two_sum(float *dst, const float *src, size_t rows) {
    for (size_t i = 0; i < rows; i++) {
        volatile float a = src[2 * i], b = src[2 * i + 1], s = a + b, z = s - a, u = s - z, d = a - u, e = b - z;
        dst[2 * i] = s;
        dst[2 * i + 1] = d + e;
    }
}

void mul_mod(uint64_t q, uint64_t *dst, const uint64_t *src, size_t rows) {
    for (size_t i = 0; i < rows; i++) dst[i] = (unsigned __int128)src[2 * i] * src[2 * i + 1] % q;
}

float sum_bfloat16(const uint16_t *x, size_t n) {
    float s = 0;
    for (size_t i = 0; i < n; i++) {
        union { uint32_t u; float f; } v = {(uint32_t)x[i] << 16};
        s += v.f;
    }
    return s;
}

static void passes(float *dst, const float *src, size_t n, size_t stride, int sign) {
    if (n == 1) {
        dst[0] = src[0];
        dst[1] = src[1];
        return;
    }
    size_t h = n / 2;
    passes(dst, src, h, 2 * stride, sign);
    passes(dst + n, src + 2 * stride, h, 2 * stride, sign);
    for (size_t k = 0; k < h; k++) {
        float c = (float)cos(2 * M_PI * (double)k / (double)n), s = sign * (float)sin(2 * M_PI * (double)k / (double)n);
        if (4 * k == n) c = 0;
        float *a = dst + 2 * k, *b = a + n, re = b[0] * c - b[1] * s, im = b[0] * s + b[1] * c;
        b[0] = a[0] - re;
        b[1] = a[1] - im;
        a[0] += re;
        a[1] += im;
    }
}

int fft(float *dst, const float *src, size_t n, int sign) {
    if (n == 0 || (n & (n - 1))) return 1;
    passes(dst, src, n, 1, sign);
    for (size_t i = 0; sign > 0 && i < 2 * n; i++) dst[i] /= (float)n;
    return 0;
}
