// Double-word arithmetic, a row a thread. Host code and claims: dd.go.
//
// A row of operands stands in x as the words of its numbers, one after the other, and a row of results in z. Buffers: x, z and
// the number n of rows; threads beyond it do nothing. Errors are those of the functions in dd.h.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

// dd_plus_fp writes x+y for rows xh, xl, y.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_plus_fp(device const packed_float3* x [[buffer(0)]],
                       device float2* z [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float3 v = x[i];
    z[i] = dw_plus_fp(v.xy, v.z);
}

// dd_plus_dw_sloppy writes x+y for rows xh, xl, yh, yl of one sign.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_plus_dw_sloppy(device const float4* x [[buffer(0)]],
                              device float2* z [[buffer(1)]],
                              constant uint& n [[buffer(2)]],
                              uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float4 v = x[i];
    z[i] = dw_plus_dw_sloppy(v.xy, v.zw);
}

// dd_plus_dw writes x+y for rows xh, xl, yh, yl.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_plus_dw(device const float4* x [[buffer(0)]],
                       device float2* z [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float4 v = x[i];
    z[i] = dw_plus_dw(v.xy, v.zw);
}

// dd_times_fp1 writes x·y for rows xh, xl, y.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_times_fp1(device const packed_float3* x [[buffer(0)]],
                         device float2* z [[buffer(1)]],
                         constant uint& n [[buffer(2)]],
                         uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float3 v = x[i];
    z[i] = dw_times_fp1(v.xy, v.z);
}

// dd_times_fp2 writes x·y for rows xh, xl, y.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_times_fp2(device const packed_float3* x [[buffer(0)]],
                         device float2* z [[buffer(1)]],
                         constant uint& n [[buffer(2)]],
                         uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float3 v = x[i];
    z[i] = dw_times_fp2(v.xy, v.z);
}

// dd_times_fp3 writes x·y for rows xh, xl, y.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_times_fp3(device const packed_float3* x [[buffer(0)]],
                         device float2* z [[buffer(1)]],
                         constant uint& n [[buffer(2)]],
                         uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float3 v = x[i];
    z[i] = dw_times_fp3(v.xy, v.z);
}

// dd_times_dw1 writes x·y for rows xh, xl, yh, yl.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_times_dw1(device const float4* x [[buffer(0)]],
                         device float2* z [[buffer(1)]],
                         constant uint& n [[buffer(2)]],
                         uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float4 v = x[i];
    z[i] = dw_times_dw1(v.xy, v.zw);
}

// dd_times_dw2 writes x·y for rows xh, xl, yh, yl.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_times_dw2(device const float4* x [[buffer(0)]],
                         device float2* z [[buffer(1)]],
                         constant uint& n [[buffer(2)]],
                         uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float4 v = x[i];
    z[i] = dw_times_dw2(v.xy, v.zw);
}

// dd_times_dw3 writes x·y for rows xh, xl, yh, yl.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_times_dw3(device const float4* x [[buffer(0)]],
                         device float2* z [[buffer(1)]],
                         constant uint& n [[buffer(2)]],
                         uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float4 v = x[i];
    z[i] = dw_times_dw3(v.xy, v.zw);
}

// dd_div_fp1 writes x/y for rows xh, xl, y.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_div_fp1(device const packed_float3* x [[buffer(0)]],
                       device float2* z [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float3 v = x[i];
    z[i] = dw_div_fp1(v.xy, v.z);
}

// dd_div_fp2 writes x/y for rows xh, xl, y.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_div_fp2(device const packed_float3* x [[buffer(0)]],
                       device float2* z [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float3 v = x[i];
    z[i] = dw_div_fp2(v.xy, v.z);
}

// dd_div_fp3 writes x/y for rows xh, xl, y.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_div_fp3(device const packed_float3* x [[buffer(0)]],
                       device float2* z [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float3 v = x[i];
    z[i] = dw_div_fp3(v.xy, v.z);
}

// dd_div_dw1 writes x/y for rows xh, xl, yh, yl.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_div_dw1(device const float4* x [[buffer(0)]],
                       device float2* z [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float4 v = x[i];
    z[i] = dw_div_dw1(v.xy, v.zw);
}

// dd_div_dw2 writes x/y for rows xh, xl, yh, yl.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_div_dw2(device const float4* x [[buffer(0)]],
                       device float2* z [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float4 v = x[i];
    z[i] = dw_div_dw2(v.xy, v.zw);
}

// dd_div_dw3 writes x/y for rows xh, xl, yh, yl.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_div_dw3(device const float4* x [[buffer(0)]],
                       device float2* z [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float4 v = x[i];
    z[i] = dw_div_dw3(v.xy, v.zw);
}

// dd_sqrt writes √x for rows xh, xl.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_sqrt(device const float2* x [[buffer(0)]],
                    device float2* z [[buffer(1)]],
                    constant uint& n [[buffer(2)]],
                    uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = dw_sqrt(x[i]);
}

// dd_compare writes -1, 0, 1, or 2 where there is no order, for rows xh, xl, yh, yl.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_compare(device const float4* x [[buffer(0)]],
                       device int* z [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float4 v = x[i];
    z[i] = dw_compare(v.xy, v.zw);
}

// dd_of_floats writes the double word of a+b for rows a, b, exactly.
//
// Domain:  as two_sum.
// Launch:  n threads or more. Barriers: none.
kernel void dd_of_floats(device const float2* x [[buffer(0)]],
                         device float2* z [[buffer(1)]],
                         constant uint& n [[buffer(2)]],
                         uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = two_sum(x[i].x, x[i].y);
}

// dd_of_int writes the double word of each int, exactly.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_of_int(device const int* x [[buffer(0)]],
                      device float2* z [[buffer(1)]],
                      constant uint& n [[buffer(2)]],
                      uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = dw_of_long(long(x[i]));
}

// dd_of_uint writes the double word of each uint, exactly.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_of_uint(device const uint* x [[buffer(0)]],
                       device float2* z [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = dw_of_ulong(ulong(x[i]));
}

// dd_of_long writes the double word of each long, within u².
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_of_long(device const long* x [[buffer(0)]],
                       device float2* z [[buffer(1)]],
                       constant uint& n [[buffer(2)]],
                       uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = dw_of_long(x[i]);
}

// dd_of_ulong writes the double word of each ulong, within u².
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_of_ulong(device const ulong* x [[buffer(0)]],
                        device float2* z [[buffer(1)]],
                        constant uint& n [[buffer(2)]],
                        uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = dw_of_ulong(x[i]);
}

// dd_to_int writes each double word without its fraction; see dw_to_int.
//
// Launch:  n threads or more. Barriers: none.
kernel void dd_to_int(device const float2* x [[buffer(0)]],
                      device int* z [[buffer(1)]],
                      constant uint& n [[buffer(2)]],
                      uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    z[i] = dw_to_int(x[i]);
}

// fft_scale_extended writes x/N, rounded once, for rows xh, xl, N: the division is of double words, and 1/N is never rounded.
//
// Error:   half an ulp of the result, and 3u² before it is rounded.
// Launch:  n threads or more. Barriers: none.
kernel void fft_scale_extended(device const packed_float3* x [[buffer(0)]],
                               device float* z [[buffer(1)]],
                               constant uint& n [[buffer(2)]],
                               uint i [[thread_position_in_grid]])
{
    if (i >= n) {
        return;
    }
    float3 v = x[i];
    z[i] = dw_div_fp3(v.xy, v.z).x;
}
