// An NVRTC that compiles nothing, for tests of loading. MAJOR and MINOR are its version, and NO_CUBIN leaves out what came with 11.1. The version goes
// through another function of the library, as calls inside real libraries do. With BUILTINS it opens its builtins by their bare name when it compiles, as
// the real one does, and fails without them.
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

#ifndef MAJOR
#define MAJOR 12
#endif
#ifndef MINOR
#define MINOR 4
#endif
#ifndef SIZE
#define SIZE 6
#endif

int nvrtcInner(void) { return MAJOR; }
int nvrtcVersion(int *major, int *minor) { *major = nvrtcInner(); *minor = MINOR; return 0; }
int nvrtcGetNumSupportedArchs(int *n) { *n = 2; return 0; }
int nvrtcGetSupportedArchs(int *a) { a[0] = 80; a[1] = 90; return 0; }
int nvrtcCreateProgram(void **p, const char *text, const char *name, int n, void *h, void *i) { *p = (void *)1; return 0; }
#ifdef BUILTINS
int nvrtcCompileProgram(void *p, int n, const char **o) {
    void *builtins = dlopen("libnvrtc-builtins.so.12.4", RTLD_LAZY | RTLD_LOCAL);
    int (*answer)(void) = builtins ? (int (*)(void))dlsym(builtins, "builtinsAnswer") : 0;
    return answer && answer() == 42 ? 0 : 7; // NVRTC_ERROR_BUILTIN_OPERATION_FAILURE
}
#else
int nvrtcCompileProgram(void *p, int n, const char **o) { return 0; }
#endif
int nvrtcGetProgramLogSize(void *p, size_t *n) { *n = 1; return 0; }
int nvrtcGetProgramLog(void *p, char *s) { *s = 0; return 0; }
#ifndef NO_CUBIN
int nvrtcGetCUBINSize(void *p, size_t *n) { *n = SIZE; return 0; }
int nvrtcGetCUBIN(void *p, char *s) { memcpy(s, "cubin", 6); return 0; }
#endif
int nvrtcGetPTXSize(void *p, size_t *n) { *n = 4; return 0; }
int nvrtcGetPTX(void *p, char *s) { memcpy(s, "ptx", 4); return 0; }
int nvrtcDestroyProgram(void **p) { return 0; }
const char *nvrtcGetErrorString(int r) { return "FAKERTC"; }
