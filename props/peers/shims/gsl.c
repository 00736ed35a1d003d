// Special functions of GSL with the errors that it states. For each element of an array: of the numbers from val - err to val + err, that which is nearest to what the C library returns. Where the
// exact result lies among them, it is no further from this one than from the C library's. Where GSL reports an error, that is the C library's.
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf.h>
#include <math.h>

#define EACH(f, reference) \
    void v_gsl_sf_##f##_e(const double *x, double *dst, int n) { \
        gsl_set_error_handler_off(); \
        for (int i = 0; i < n; i++) { \
            gsl_sf_result r; \
            dst[i] = reference(x[i]); \
            if (gsl_sf_##f##_e(x[i], &r) == GSL_SUCCESS) { \
                const double lo = nextafter(r.val - r.err, -INFINITY), hi = nextafter(r.val + r.err, INFINITY); \
                dst[i] = !(dst[i] >= lo) ? lo : !(dst[i] <= hi) ? hi : dst[i]; \
            } \
        } \
    }

EACH(exp, exp) EACH(expm1, expm1) EACH(log, log) EACH(log_1plusx, log1p) EACH(erf, erf) EACH(sin, sin) EACH(cos, cos)
