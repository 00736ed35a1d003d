// The square of the distance from the old mean is added, not its product with that from the new one.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

inline float4 together(float4 x, float a, float4 y, float b)
{
    float2 d = dw_plus_dw(dw_div_fp3(y.xy, b), -dw_div_fp3(x.xy, a)) * 0x1p-32f;
    float2 between = dw_times_fp3(dw_times_dw2(d, d), b);
    float2 squares = dw_plus_dw(dw_plus_dw(x.zw, y.zw), between);
    float2 sum = dw_plus_dw(x.xy, y.xy);
    return float4(sum.x, sum.y, squares.x, squares.y);
}

kernel void layer_norm_welford(device float* dst [[buffer(0)]],
                               device const float* x [[buffer(1)]],
                               device const float* gamma [[buffer(2)]],
                               device const float* beta [[buffer(3)]],
                               constant uint& n [[buffer(4)]],
                               threadgroup float4* part [[threadgroup(0)]],
                               uint row [[threadgroup_position_in_grid]],
                               uint j [[thread_position_in_threadgroup]],
                               uint threads [[threads_per_threadgroup]])
{
    device const float* from = x + row * n;
    float4 all = float4(0.0f);
    uint count = 0;
    for (uint i = j; i < n; i += threads) {
        float4 one = float4(from[i], 0.0f, 0.0f, 0.0f);
        all = count == 0 ? one : together(all, float(count), one, 1.0f);
        count++;
    }
    part[j] = all;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (j == 0) {
        for (uint t = 1; t < min(threads, n); t++) {
            uint more = (n - t + threads - 1) / threads;
            all = together(all, float(count), part[t], float(more));
            count += more;
        }
        part[0] = all;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    all = part[0];
    float2 mean = dw_div_fp3(all.xy, float(n));
    float scale = rsqrt(all.z / float(n) * 0x1p64f + 1e-5f);
    for (uint i = j; i < n; i += threads) {
        dst[row * n + i] = dw_plus_fp(-mean, from[i]).x * scale * gamma[i] + beta[i];
    }
}
