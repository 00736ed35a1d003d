// Lambdas of Metal 3.2.
// refused: lambda
#include <metal_stdlib>
using namespace metal;

kernel void k(device int *o) {
    auto f = [](int x) { return x + 1; };
    *o = f(1);
}
