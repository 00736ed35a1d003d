// kissfft's complex transforms.
#include <kiss_fft.h>
#include <stddef.h>

int fft_float(float *dst, const float *src, size_t n, int sign) {
    kiss_fft_cfg plan = kiss_fft_alloc((int)n, sign > 0, NULL, NULL);
    if (!plan) return 1;
    kiss_fft(plan, (const kiss_fft_cpx *)src, (kiss_fft_cpx *)dst);
    kiss_fft_free(plan);
    return 0;
}
