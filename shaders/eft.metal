// Error-free transforms, a row a thread. Host code and claims: eft.go.
//
// A row of operands stands in x as the words of its numbers, one after the other, and a row of results in z. Buffers: x, z and
// the number n of rows; threads beyond it do nothing.

#include <metal_stdlib>
using namespace metal;

#include "eft.h"

// eft_two_sum writes s and e with s+e = a+b for rows a, b.
//
// Domain:  as two_sum.
// Launch:  n threads or more. Barriers: none.
kernel void eft_two_sum(device const float2* x [[buffer(0)]],
                        device float2* z [[buffer(1)]],
                        constant uint& n [[buffer(2)]],
                        uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = two_sum(x[i].x, x[i].y);
}

// eft_two_sum_left writes s and e with s+e = a+b for rows a, b.
//
// Domain:  as two_sum, of b for a.
// Launch:  n threads or more. Barriers: none.
kernel void eft_two_sum_left(device const float2* x [[buffer(0)]],
                             device float2* z [[buffer(1)]],
                             constant uint& n [[buffer(2)]],
                             uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = two_sum_left(x[i].x, x[i].y);
}

// eft_fast_two_sum writes s and e with s+e = a+b for rows a, b.
//
// Domain:  as fast_two_sum.
// Launch:  n threads or more. Barriers: none.
kernel void eft_fast_two_sum(device const float2* x [[buffer(0)]],
                             device float2* z [[buffer(1)]],
                             constant uint& n [[buffer(2)]],
                             uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = fast_two_sum(x[i].x, x[i].y);
}

// eft_split writes h and l with h+l = a, of 12 bits each, for rows a.
//
// Domain:  as split.
// Launch:  n threads or more. Barriers: none.
kernel void eft_split(device const float* x [[buffer(0)]],
                      device float2* z [[buffer(1)]],
                      constant uint& n [[buffer(2)]],
                      uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = split(x[i]);
}

// eft_two_prod writes p and e with p+e = a·b for rows a, b.
//
// Domain:  as two_prod.
// Launch:  n threads or more. Barriers: none.
kernel void eft_two_prod(device const float2* x [[buffer(0)]],
                         device float2* z [[buffer(1)]],
                         constant uint& n [[buffer(2)]],
                         uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = two_prod(x[i].x, x[i].y);
}

// eft_two_prod_dekker writes p and e with p+e = a·b for rows a, b.
//
// Domain:  as two_prod_dekker.
// Launch:  n threads or more. Barriers: none.
kernel void eft_two_prod_dekker(device const float2* x [[buffer(0)]],
                                device float2* z [[buffer(1)]],
                                constant uint& n [[buffer(2)]],
                                uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = two_prod_dekker(x[i].x, x[i].y);
}
