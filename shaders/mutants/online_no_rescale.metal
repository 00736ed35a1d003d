// The sum so far is not multiplied when a greater number comes.

#include <metal_stdlib>
using namespace metal;

#include "dd.h"

inline float2 power(float v, float m)
{
    float2 d = two_sum(v, -m);
    if (!(d.x >= -87.0f)) {
        return float2(0.0f, 0.0f);
    }
    float k = rint(d.x * 0x1.715476p0f); // 1/ln 2
    float2 r = dw_plus_dw(dw_plus_fp(d, -k * 0x1.62e4p-1f), two_prod(-k, 0x1.7f7d1cp-20f));
    r = r * 0.0625f;
    float2 square = dw_times_dw2(r, r);
    float tail = r.x * square.x * (1.0f / 6.0f + r.x * (1.0f / 24.0f + r.x * (1.0f / 120.0f + r.x * (1.0f / 720.0f))));
    float2 e = dw_plus_fp(dw_plus_fp(dw_plus_dw(r, square * 0.5f), tail), 1.0f);
    for (uint i = 0; i < 4; i++) {
        e = dw_times_dw2(e, e);
    }
    return e * as_type<float>((int(k) + 127) << 23);
}

inline float3 joined(float3 a, float3 b)
{
    if (b.y == 0.0f) {
        return a;
    }
    if (a.y == 0.0f) {
        return b;
    }
    float m = fmax(a.x, b.x);
    float2 s = dw_plus_dw(a.yz, dw_times_dw2(b.yz, power(b.x, m)));
    return float3(m, s.x, s.y);
}

kernel void softmax_online(device float* dst [[buffer(0)]],
                           device const float* x [[buffer(1)]],
                           constant uint& n [[buffer(2)]],
                           threadgroup float3* part [[threadgroup(0)]],
                           uint row [[threadgroup_position_in_grid]],
                           uint j [[thread_position_in_threadgroup]],
                           uint threads [[threads_per_threadgroup]])
{
    device const float* from = x + row * n;
    float3 all = float3(-INFINITY, 0.0f, 0.0f);
    for (uint i = j; i < n; i += threads) {
        float v = from[i];
        if (v > -INFINITY && v < INFINITY) {
            all = joined(all, float3(v, 1.0f, 0.0f));
        } else if (!(v == -INFINITY)) {
            all.y = v - v; // NaN
        }
    }
    part[j] = all;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (j == 0) {
        for (uint t = 1; t < threads; t++) {
            all = joined(all, part[t]);
        }
        part[0] = all;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    all = part[0];
    for (uint i = j; i < n; i += threads) {
        dst[row * n + i] = precise::exp(from[i] - all.x) / all.y;
    }
}
