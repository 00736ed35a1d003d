// The functions of the GNU C library, for each element of an array.
#include <math.h>

#define EACH(type, f) void v_##f(const type *x, type *dst, int n) { for (int i = 0; i < n; i++) dst[i] = f(x[i]); }

EACH(float, sinf) EACH(float, cosf) EACH(float, tanf) EACH(float, expf) EACH(float, exp2f) EACH(float, expm1f)
EACH(float, logf) EACH(float, log2f) EACH(float, log1pf) EACH(float, tanhf) EACH(float, erff)
EACH(double, sin) EACH(double, cos) EACH(double, exp) EACH(double, exp2) EACH(double, expm1)
EACH(double, log) EACH(double, log2) EACH(double, log1p) EACH(double, tanh) EACH(double, erf)
