// Nobody writes to constant memory.
// refused: constant
#include <metal_stdlib>
using namespace metal;

constant int numbers[3] = {10, 20, 30};
kernel void k(device int *o) {
    numbers[0] = 1;
    o[0] = numbers[0];
}
