// Functions of a library for claim_test.go: right ones, and wrong ones with what is wrong in their names.
#include <math.h>
#include <stddef.h>

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
