// Words of clang that say how to compile.
#include <metal_stdlib>
using namespace metal;

__attribute__((always_inline)) static inline int a(int x) { return x + 1; }
__attribute__((noinline)) int b(int x) { return x * 2; }
[[maybe_unused]] constant int unused = 1;
METAL_FUNC int c(int x) { return x - 3; }
// run k 0=int[5] -> 0=int[9]
kernel void k(device int *__restrict x) {
    if (*x > 0) *x = c(b(a(*x)));
}
