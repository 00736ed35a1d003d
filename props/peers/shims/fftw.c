// FFTW's complex transforms. Plans are kept: they are for arrays anywhere, and leave the input as it is.
#include <fftw3.h>
#include <stddef.h>

#define KEPT 4096
#define TRANSFORM(name, p, type) \
    int name(type *dst, const type *src, size_t n, int sign) { \
        static struct { size_t n; int sign; p##plan plan; } kept[KEPT]; \
        static size_t count; \
        size_t i = 0; \
        while (i < count && (kept[i].n != n || kept[i].sign != sign)) i++; \
        if (i == count) { \
            if (count == KEPT) return 1; \
            p##plan plan = p##plan_dft_1d((int)n, (p##complex *)src, (p##complex *)dst, sign, FFTW_ESTIMATE | FFTW_UNALIGNED | FFTW_PRESERVE_INPUT); \
            if (!plan) return 1; \
            kept[count].n = n, kept[count].sign = sign, kept[count++].plan = plan; \
        } \
        p##execute_dft(kept[i].plan, (p##complex *)src, (p##complex *)dst); \
        return 0; \
    }

TRANSFORM(fft_float, fftwf_, float)
TRANSFORM(fft_double, fftw_, double)
