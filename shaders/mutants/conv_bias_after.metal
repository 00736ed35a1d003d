// The bias is added after the gate.

#include <metal_stdlib>
using namespace metal;

kernel void bias_gate(device float* dst [[buffer(0)]],
                      device const float* y [[buffer(1)]],
                      device const float* bias [[buffer(2)]],
                      device const float* gate [[buffer(3)]],
                      constant uint& count [[buffer(4)]],
                      constant uint& n [[buffer(5)]],
                      constant uint& channels [[buffer(6)]],
                      uint i [[thread_position_in_grid]])
{
    if (i < count) {
        dst[i] = y[i] * gate[i] + bias[i / n % channels];
    }
}
