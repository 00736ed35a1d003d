// Encoding of commands.
// refused: indirect command buffers
#include <metal_stdlib>
using namespace metal;

kernel void k(command_buffer b [[buffer(0)]]) { compute_command c(b, 0); }
