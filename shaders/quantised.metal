// Products of quantised matrices. Host code and claim: quantised.go.

#include <metal_stdlib>
using namespace metal;

// product_int8 writes (Σ_l a_il·b_lj)·scaleA_i·scaleB_j for a of m by k and b of k by n, row by row, the sum in 32 bits.
//
// Domain:   k < 2^17.
// Error:    3 roundings: the sum's to float and two products'.
// Launch:   a thread a result, and more. Barriers: none.
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
        int s = 0;
        for (uint l = 0; l < k; l++) {
            s += int(a[i * k + l]) * int(b[l * n + j]);
        }
        dst[at] = float(s) * scaleA[i] * scaleB[j];
    }
}
