// assert with a condition that holds does nothing.
#include <metal_stdlib>
#include <metal_assert>
using namespace metal;
// run k 0=int[4] -> 0=int[5]
kernel void k(device int *x) {
    assert(*x > 0);
    *x += 1;
}
