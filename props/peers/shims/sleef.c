// The scalar functions of SLEEF in binary32, for each element of an array.
#include <sleef.h>

#define EACH(f) void v_Sleef_##f(const float *x, float *dst, int n) { for (int i = 0; i < n; i++) dst[i] = Sleef_##f(x[i]); }

EACH(sinf_u10) EACH(sinf_u35) EACH(cosf_u10) EACH(cosf_u35) EACH(tanf_u10) EACH(tanf_u35) EACH(sinpif_u05) EACH(cospif_u05)
EACH(expf_u10) EACH(exp2f_u10) EACH(exp2f_u35) EACH(expm1f_u10) EACH(logf_u10) EACH(logf_u35) EACH(log2f_u10) EACH(log2f_u35) EACH(log1pf_u10)
EACH(tanhf_u10) EACH(tanhf_u35) EACH(erff_u10) EACH(sqrtf_u35)
