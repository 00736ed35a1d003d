// Packs of types and values, and folds over them.
#include <metal_stdlib>
using namespace metal;

template <typename... T> int total(T... x) { return (int(x) + ... + 0); }
template <typename... T> int count(T...) { return sizeof...(T); }
template <int... N> int product() { return (N * ... * 1); }
// run k 0=int*3 -> 0=int[6 24 3]
kernel void k(device int *o) {
    o[0] = total(1, 2.5f, 3u);
    o[1] = product<2, 3, 4>();
    o[2] = count(o, 1.0f, half2(1));
}
