// Kernel ntt_forward_stage of ntt.metal:51:13, printed as OpenCL C by Gamma.
// Behaviour: rne ftz=off contract=off

#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#pragma OPENCL FP_CONTRACT OFF
typedef char i8;
typedef uchar u8;
typedef short i16;
typedef ushort u16;
typedef int i32;
typedef uint u32;
typedef long i64;
typedef ulong u64;
typedef float f32;
typedef ushort f16;  // by its bits
typedef ushort bf16; // by its bits
#define GM_FN static inline

GM_FN u32 gm_bits32(f32 x) { return as_uint(x); }
GM_FN f32 gm_f32(u32 x) { return as_float(x); }
GM_FN u64 gm_bits64(double x) { return as_ulong(x); }
GM_FN double gm_f64(u64 x) { return as_double(x); }
GM_FN u64 gm_umulhi(u64 a, u64 b) { return mul_hi(a, b); }
GM_FN int gm_clz(u64 x) { return (int)clz(x); }
GM_FN int gm_popcount(u64 x) { return (int)popcount(x); }
GM_FN u64 gm_reverse(u64 x)
{
    x = x >> 1 & 0x5555555555555555UL | (x & 0x5555555555555555UL) << 1;
    x = x >> 2 & 0x3333333333333333UL | (x & 0x3333333333333333UL) << 2;
    x = x >> 4 & 0x0f0f0f0f0f0f0f0fUL | (x & 0x0f0f0f0f0f0f0f0fUL) << 4;
    x = x >> 8 & 0x00ff00ff00ff00ffUL | (x & 0x00ff00ff00ff00ffUL) << 8;
    x = x >> 16 & 0x0000ffff0000ffffUL | (x & 0x0000ffff0000ffffUL) << 16;
    return x >> 32 | x << 32;
}
GM_FN double gm_add64(double a, double b) { return a + b; }
GM_FN double gm_mul64(double a, double b) { return a * b; }
GM_FN double gm_div64(double a, double b) { return a / b; }
GM_FN double gm_sqrt64(double a) { return sqrt(a); }
GM_FN double gm_fma64(double a, double b, double c) { return fma(a, b, c); }

GM_FN u32 gm_least(u32 a, u32 b) { return b < a ? b : a; }

__kernel void ntt_forward_stage(
    __global char *a_x,
    __global char *a_w,
    __global char *a_field,
    __global char *a_n,
    __global char *a_span,
    ulong grid_x,
    ulong grid_y,
    ulong grid_z,
    ulong groups_x,
    ulong groups_y,
    ulong groups_z,
    ulong group_x,
    ulong group_y,
    ulong group_z,
    ulong origin_x,
    ulong origin_y,
    ulong origin_z)
{
    const u32 gm_gx = (u32)((get_global_id(0) - get_local_id(0)) / (u32)group_x);
    const u32 gm_sx = gm_least((u32)group_x, (u32)grid_x - gm_gx * (u32)group_x);
    const u32 gm_gy = (u32)((get_global_id(1) - get_local_id(1)) / (u32)group_y);
    const u32 gm_sy = gm_least((u32)group_y, (u32)grid_y - gm_gy * (u32)group_y);
    const u32 gm_gz = (u32)((get_global_id(2) - get_local_id(2)) / (u32)group_z);
    const u32 gm_sz = gm_least((u32)group_z, (u32)grid_z - gm_gz * (u32)group_z);
    const u32 gm_threads = gm_sx * gm_sy * gm_sz;
    const u32 gm_thread = (u32)get_local_id(0) + (u32)get_local_size(0) * ((u32)get_local_id(1) + (u32)get_local_size(1) * (u32)get_local_id(2));
    if (gm_thread >= gm_threads) return; // beyond the grid
    u32 gm_tx = (u32)get_local_id(0);
    u32 gm_ty = (u32)get_local_id(1);
    u32 gm_tz = (u32)get_local_id(2);
    if (gm_sx != (u32)group_x || gm_sy != (u32)group_y) { // at the edge of the grid
        gm_tx = gm_thread % gm_sx;
        gm_ty = gm_thread / gm_sx % gm_sy;
        gm_tz = gm_thread / (gm_sx * gm_sy);
    }
    __global char *x = a_x; // device ulong*
    __global char *w = a_w; // const device ulong*
    __global char *field = a_field; // mont63&
    __global char *n = a_n; // uint&
    __global char *span = a_span; // uint&
    u32 id_x = (u32)(gm_gx * (u32)group_x + gm_tx); // thread_position_in_grid
    u32 id_y = (u32)(gm_gy * (u32)group_y + gm_ty); // thread_position_in_grid
    u64 u;
    u64 v;
    const u32 v12 = *(__global u32 *)n; // ntt.metal:58:17
    const u32 v13 = (u32)(v12 >> 1);
    const bool v14 = v13 <= id_x;
    if (v14) {
        return; // ntt.metal:59:9
    }
    const u64 f_q = *(__global u64 *)field; // ntt.metal:61:11
    const u64 f_q_inv = *(__global u64 *)(field + 8);
    const u64 f_r2 = *(__global u64 *)(field + 16);
    const u32 v18 = *(__global u32 *)span; // ntt.metal:62:22
    const u32 v19 = v18 - 1u;
    const u32 k = id_x & v19;
    const u32 v21 = id_y * v12; // ntt.metal:63:19
    const u32 v22 = id_x * 2u;
    const u32 v23 = v21 + v22;
    const u32 i = v23 - k;
    u = ((__global u64 *)x)[i]; // ntt.metal:64:27
    const u32 v26 = i + v18; // ntt.metal:65:30
    v = ((__global u64 *)x)[v26];
    const u32 v28 = v18 + k; // ntt.metal:66:39
    const u64 v29 = ((__global u64 *)w)[v28];
    const u64 lo = v * v29; // modular.h:38:22
    const u64 m = lo * f_q_inv; // modular.h:39:22
    const u64 v32 = gm_umulhi(v, v29); // modular.h:41:19
    const u64 v33 = gm_umulhi(m, f_q);
    const u64 v34 = v32 + v33;
    const bool v35 = lo != 0ul;
    const u64 v36 = v35 ? 1ul : 0ul;
    const u64 t = v34 + v36;
    const bool v38 = f_q <= t; // modular.h:42:18
    const u64 v39 = t - f_q;
    const u64 t_2 = v38 ? v39 : t;
    const bool v41 = t_2 <= u; // modular.h:31:50
    const u64 v42 = u - t_2;
    const u64 v43 = f_q - t_2;
    const u64 v44 = u + v43;
    v = v41 ? v42 : v44;
    const u64 s = u + t_2; // modular.h:26:21
    const bool v46 = f_q <= s; // modular.h:27:18
    const u64 v47 = s - f_q;
    u = v46 ? v47 : s;
    ((__global u64 *)x)[i] = u; // ntt.metal:67:10
    ((__global u64 *)x)[v26] = v; // ntt.metal:68:17
}
