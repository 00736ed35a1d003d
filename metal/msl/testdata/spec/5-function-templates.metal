// Templates of functions: types, values, deduced and given.
#include <metal_stdlib>
using namespace metal;

template <typename T> T square(T x) { return x * x; }
template <int N, typename T> T power(T x) {
    T r = 1;
    for (int i = 0; i < N; i++) r *= x;
    return r;
}
template <> int square<int>(int x) { return -x * x; }
// run k 0=float*2 1=int*2 -> 0=float[6.25 8] 1=int[-9 81]
kernel void k(device float *f, device int *o) {
    f[0] = square(2.5f);
    f[1] = power<3>(2.0f);
    o[0] = square(3);
    o[1] = power<4, int>(3);
}
