// A libcuda without a GPU, for tests of loading and of children. Memory is malloc's, and a kernel adds one to the first byte that the first word
// of its argument points to. INIT is what cuInit gives, VERSION what cuDriverGetVersion does, and FAKE_CUDA in the environment says what goes
// wrong at a launch.
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifndef INIT
#define INIT 0
#endif
#ifndef VERSION
#define VERSION 13000
#endif

typedef unsigned long long address;

static int is(const char *what) {
    const char *set = getenv("FAKE_CUDA");
    return set && !strcmp(set, what);
}

int cuInit(unsigned flags) { return INIT; }
int cuDriverGetVersion(int *v) { *v = VERSION; return 0; }
int cuDeviceGetCount(int *n) { *n = 1; return 0; }
int cuDeviceGet(int *d, int ordinal) { *d = ordinal; return 0; }
int cuDeviceGetName(char *s, int n, int d) { strncpy(s, "Fake of C", n); return 0; }
int cuDeviceTotalMem_v2(size_t *n, int d) { *n = 1 << 30; return 0; }
int cuDeviceGetAttribute(int *v, int a, int d) {
    *v = a == 75 ? 9 : a == 76 ? 0 : a == 10 ? 32 : a == 97 ? 48 << 10 : a == 4 ? 64 : a >= 5 && a <= 7 ? 65535 : 1024;
    return 0;
}
int cuDevicePrimaryCtxSetFlags_v2(int d, unsigned flags) { return 0; }
int cuDevicePrimaryCtxRetain(void **c, int d) { *c = (void *)1; return 0; }
int cuDevicePrimaryCtxRelease_v2(int d) { return 0; }
int cuCtxSetCurrent(void *c) { return 0; }
int cuModuleLoadDataEx(void **m, const void *image, unsigned n, void *o, void *v) { *m = (void *)2; return 0; }
int cuModuleUnload(void *m) { return 0; }
#ifndef NO_FUNCTION
int cuModuleGetFunction(void **f, void *m, const char *name) { *f = (void *)3; return 0; }
#endif
int cuFuncGetAttribute(int *v, int a, void *f) { *v = a == 0 ? 1024 : 0; return 0; }
int cuFuncSetAttribute(void *f, int a, int v) { return 0; }
int cuMemAlloc_v2(address *p, size_t n) { *p = (address)(size_t)malloc(n); return 0; }
int cuMemFree_v2(address p) { free((void *)(size_t)p); return 0; }
int cuMemAllocHost_v2(void **p, size_t n) { *p = malloc(n); return 0; }
int cuMemFreeHost(void *p) { free(p); return 0; }
int cuMemcpyHtoDAsync_v2(address to, const void *from, size_t n, void *s) { memcpy((void *)(size_t)to, from, n); return 0; }
int cuMemcpyDtoHAsync_v2(void *to, address from, size_t n, void *s) { memcpy(to, (void *)(size_t)from, n); return 0; }
int cuMemcpyDtoDAsync_v2(address to, address from, size_t n, void *s) { memmove((void *)(size_t)to, (void *)(size_t)from, n); return 0; }
int cuStreamCreate(void **s, unsigned flags) { *s = (void *)4; return 0; }
int cuStreamDestroy_v2(void *s) { return 0; }
int cuStreamSynchronize(void *s) { return 0; }
int cuEventCreate(void **e, unsigned flags) { *e = (void *)5; return 0; }
int cuEventDestroy_v2(void *e) { return 0; }
int cuEventRecord(void *e, void *s) { return 0; }
int cuEventQuery(void *e) { return is("hang") ? 600 : is("fault") ? 700 : 0; }
int cuEventElapsedTime(float *ms, void *a, void *b) { *ms = 0.5f; return 0; }
int cuGetErrorName(int r, const char **s) { *s = "FAKE_NAME"; return 0; }
int cuGetErrorString(int r, const char **s) { *s = "fake text"; return 0; }

int cuLaunchKernel(void *f, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared, void *s, void **params, void **extra) {
    if (is("kill")) kill(getpid(), SIGKILL);
    if (is("abort")) abort();
    if (is("segv")) *(volatile int *)16 = 1;
    if (is("sleep")) sleep(1000);
    if (is("garbage")) { for (int i = 0; i < 5000; i++) printf("garbage %d\n", i); fflush(stdout); }
    if (is("orphan")) { // a process that keeps the pipes of this one open
        if (fork() == 0) { sleep(30); _exit(0); }
        _exit(3);
    }
    if (gx != 0) ++*(unsigned char *)(size_t)**(address **)params;
    return 0;
}
