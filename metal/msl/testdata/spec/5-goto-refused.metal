// There is no goto.
// refused: goto
#include <metal_stdlib>
using namespace metal;

kernel void k(device int *o) {
    goto end;
end:
    *o = 1;
}
