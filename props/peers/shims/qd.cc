// Operations of libqd on rows of words: double-double and quad-double.
#include <qd/c_dd.h>
#include <qd/c_qd.h>
#include <qd/dd_real.h>
#include <qd/qd_real.h>

typedef long long rows_t;

#define ROWS(name, in, out, call) \
    extern "C" void name(double *dst, const double *src, rows_t rows) { \
        for (rows_t i = 0; i < rows; i++, src += in, dst += out) { call; } \
    }

static void put(double *dst, const dd_real &r) { dst[0] = r.x[0]; dst[1] = r.x[1]; }
static void put(double *dst, const qd_real &r) { for (int i = 0; i < 4; i++) dst[i] = r.x[i]; }
static dd_real two(const double *x) { return dd_real(x[0], x[1]); }
static qd_real four(const double *x) { return qd_real(x[0], x[1], x[2], x[3]); }

ROWS(dd_add, 4, 2, c_dd_add(src, src + 2, dst))
ROWS(dd_ieee_add, 4, 2, put(dst, dd_real::ieee_add(two(src), two(src + 2))))
ROWS(dd_add_d, 3, 2, c_dd_add_dd_d(src, src[2], dst))
ROWS(dd_mul, 4, 2, c_dd_mul(src, src + 2, dst))
ROWS(dd_mul_d, 3, 2, c_dd_mul_dd_d(src, src[2], dst))
ROWS(dd_div, 4, 2, c_dd_div(src, src + 2, dst))
ROWS(dd_sloppy_div, 4, 2, put(dst, dd_real::sloppy_div(two(src), two(src + 2))))
ROWS(dd_accurate_div, 4, 2, put(dst, dd_real::accurate_div(two(src), two(src + 2))))
ROWS(dd_div_d, 3, 2, c_dd_div_dd_d(src, src[2], dst))
ROWS(dd_sqrt, 2, 2, c_dd_sqrt(src, dst))
ROWS(two_sum, 2, 2, dst[0] = qd::two_sum(src[0], src[1], dst[1]))
ROWS(two_prod, 2, 2, dst[0] = qd::two_prod(src[0], src[1], dst[1]))
ROWS(qd_ieee_add, 8, 4, put(dst, qd_real::ieee_add(four(src), four(src + 4))))
ROWS(qd_mul, 8, 4, c_qd_mul(src, src + 4, dst))
ROWS(qd_div, 8, 4, c_qd_div(src, src + 4, dst))
ROWS(qd_sqrt, 4, 4, c_qd_sqrt(src, dst))
