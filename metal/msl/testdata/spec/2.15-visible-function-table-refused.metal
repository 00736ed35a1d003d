// Tables of functions that are chosen at run time.
// refused: function table
#include <metal_stdlib>
using namespace metal;

kernel void k(visible_function_table<int(int)> table [[buffer(1)]], device int *o [[buffer(0)]]) {
    o[0] = table[0](3);
}
