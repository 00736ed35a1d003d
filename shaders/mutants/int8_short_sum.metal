// The sum is in 16 bits, and wraps.

#include <metal_stdlib>
using namespace metal;

kernel void product_int8(device float* dst [[buffer(0)]],
                         device const char* a [[buffer(1)]],
                         device const char* b [[buffer(2)]],
                         device const float* scaleA [[buffer(3)]],
                         device const float* scaleB [[buffer(4)]],
                         constant uint& m [[buffer(5)]],
                         constant uint& k [[buffer(6)]],
                         constant uint& n [[buffer(7)]],
                         uint at [[thread_position_in_grid]])
{
    if (at < m * n) {
        uint i = at / n;
        uint j = at % n;
        short s = 0;
        for (uint l = 0; l < k; l++) {
            s = short(s + int(a[i * k + l]) * int(b[l * n + j]));
        }
        dst[at] = float(s) * scaleA[i] * scaleB[j];
    }
}
