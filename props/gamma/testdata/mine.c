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
