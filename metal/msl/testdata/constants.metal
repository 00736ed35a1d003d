// Program-scope constants and function constants.
#include <metal_stdlib>
using namespace metal;

constant float PI_ISH = 3.25f;
constant constexpr uint SIZES[4] = {1, 10, 100, 1000};
constant int TABLE[2][3] = {{1, 2, 3}, {4, 5, 6}};
struct Entry {
    uint key;
    float2 value;
};
constant Entry ENTRIES[] = {{7, float2(0.5f, 1.5f)}, {8, {2.5f, 3.5f}}};
// run tables threads=2 0=float*2 1=int*2 -> 0=float[15.75 23.75] 1=int[3 6]
kernel void tables(device float *out, device int *o, uint i [[thread_position_in_grid]]) {
    out[i] = PI_ISH + SIZES[1] + ENTRIES[i].value.y + ENTRIES[i].key - 6 + (i == 1 ? 5 : 0);
    o[i] = TABLE[i][2];
}

constant int mode [[function_constant(0)]];
constant bool has_bias [[function_constant(1)]];
constant float factor [[function_constant(2)]];
constant float real_factor = is_function_constant_defined(factor) ? factor : 2.0f;
constant bool use_extra = has_bias && mode > 1;

// run spec threads=2 #mode=int:1 #has_bias=bool:0 0=float[1 2] 1=float*2 -> 1=float[2 4]
// run spec threads=2 #0=int:2 #1=bool:1 #2=float:10 0=float[1 2] 1=float*2 2=float[0.5 0.25] -> 1=float[110.5 120.25]
// run spec threads=2 #0=int:1 #1=bool:1 #2=float:10 0=float[1 2] 1=float*2 2=float[0.5 0.25] -> 1=float[10.5 20.25]
kernel void spec(device const float *x [[buffer(0)]], device float *out [[buffer(1)]],
                 device const float *bias [[buffer(2), function_constant(has_bias)]], uint i [[thread_position_in_grid]]) {
    float r = x[i] * real_factor;
    if (has_bias) r += bias[i];
    if (use_extra) r += 100;
    out[i] = r;
}

// Two arguments of one index, of which one is there.
constant bool is_int [[function_constant(3)]];
constant bool is_float = !is_int;
// run either threads=2 #3=bool:1 0=int[5 6] 1=float*2 -> 1=float[5 6]
// run either threads=2 #3=bool:0 0=float[5.5 6.5] 1=float*2 -> 1=float[5.5 6.5]
kernel void either(device const int *a [[buffer(0), function_constant(is_int)]], device const float *b [[buffer(0), function_constant(is_float)]],
                   device float *out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    out[i] = is_int ? float(a[i]) : b[i];
}

// static const members and constexpr locals.
struct Config {
    static constant constexpr int kTile = 4;
    static constexpr constant float kEps = 0.125f;
};
// run config threads=2 0=float*2 -> 0=float[6.125 7.125]
kernel void config(device float *out, uint i [[thread_position_in_grid]]) {
    constexpr int half_tile = Config::kTile / 2;
    const int k = half_tile + Config::kTile;
    out[i] = k + Config::kEps + i;
}
