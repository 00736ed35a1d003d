// Kernel ntt_forward_stage of ntt.metal:51:13, printed as CUDA C++ by Gamma.
// Behaviour: rne ftz=off contract=off

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;
typedef float f32;
typedef unsigned short f16;  // by its bits
typedef unsigned short bf16; // by its bits
#define GM_FN static __device__ __forceinline__

GM_FN u32 gm_bits32(f32 x) { return __float_as_uint(x); }
GM_FN f32 gm_f32(u32 x) { return __uint_as_float(x); }
GM_FN u64 gm_bits64(double x) { return (u64)__double_as_longlong(x); }
GM_FN double gm_f64(u64 x) { return __longlong_as_double((i64)x); }
GM_FN u64 gm_umulhi(u64 a, u64 b) { return __umul64hi(a, b); }
GM_FN int gm_clz(u64 x) { return __clzll((i64)x); }
GM_FN int gm_popcount(u64 x) { return __popcll(x); }
GM_FN u64 gm_reverse(u64 x) { return __brevll(x); }
GM_FN double gm_add64(double a, double b) { return __dadd_rn(a, b); }
GM_FN double gm_mul64(double a, double b) { return __dmul_rn(a, b); }
GM_FN double gm_div64(double a, double b) { return __ddiv_rn(a, b); }
GM_FN double gm_sqrt64(double a) { return __dsqrt_rn(a); }
GM_FN double gm_fma64(double a, double b, double c) { return __fma_rn(a, b, c); }

GM_FN u32 gm_least(u32 a, u32 b) { return b < a ? b : a; }

struct gm_arguments {
    char *a_x; // device ulong*
    char *a_w; // const device ulong*
    char *a_field; // mont63&
    char *a_n; // uint&
    char *a_span; // uint&
    u64 grid_x; // threads of the grid
    u64 grid_y; // threads of the grid
    u64 grid_z; // threads of the grid
    u64 groups_x; // threadgroups of the grid
    u64 groups_y; // threadgroups of the grid
    u64 groups_z; // threadgroups of the grid
    u64 group_x; // threads of a threadgroup, nominally
    u64 group_y; // threads of a threadgroup, nominally
    u64 group_z; // threads of a threadgroup, nominally
    u64 origin_x; // of the grid
    u64 origin_y; // of the grid
    u64 origin_z; // of the grid
    u64 whole; // 1: no threadgroup is smaller
};

extern "C" __global__ void __launch_bounds__(1024) ntt_forward_stage(const gm_arguments gm)
{
    const u32 gm_gx = blockIdx.x;
    u32 gm_sx = (u32)gm.group_x, gm_tx = threadIdx.x;
    const u32 gm_gy = blockIdx.y;
    u32 gm_sy = (u32)gm.group_y, gm_ty = threadIdx.y;
    const u32 gm_gz = blockIdx.z;
    u32 gm_sz = (u32)gm.group_z, gm_tz = threadIdx.z;
    const u32 gm_thread = gm_tx + gm_sx * (gm_ty + gm_sy * gm_tz);
    if (gm.whole == 0) { // it may be at an edge of the grid
        gm_sx = gm_least((u32)gm.group_x, (u32)gm.grid_x - gm_gx * (u32)gm.group_x);
        gm_sy = gm_least((u32)gm.group_y, (u32)gm.grid_y - gm_gy * (u32)gm.group_y);
        gm_sz = gm_least((u32)gm.group_z, (u32)gm.grid_z - gm_gz * (u32)gm.group_z);
        if (gm_thread >= gm_sx * gm_sy * gm_sz) return; // beyond the grid
        if (gm_sx != (u32)gm.group_x || gm_sy != (u32)gm.group_y) { // at the edge of the grid
            gm_tx = gm_thread % gm_sx;
            gm_ty = gm_thread / gm_sx % gm_sy;
            gm_tz = gm_thread / (gm_sx * gm_sy);
        }
    }
    const u32 gm_threads = gm_sx * gm_sy * gm_sz;
    char *x = gm.a_x; // device ulong*
    char *w = gm.a_w; // const device ulong*
    char *field = gm.a_field; // mont63&
    char *n = gm.a_n; // uint&
    char *span = gm.a_span; // uint&
    u32 id_x = (u32)(gm_gx * (u32)gm.group_x + gm_tx); // thread_position_in_grid
    u32 id_y = (u32)(gm_gy * (u32)gm.group_y + gm_ty); // thread_position_in_grid
    u64 u;
    u64 v;
    const u32 v12 = *(u32 *)n; // ntt.metal:58:17
    const u32 v13 = (u32)(v12 >> 1);
    const bool v14 = v13 <= id_x;
    if (v14) {
        return; // ntt.metal:59:9
    }
    const u64 f_q = *(u64 *)field; // ntt.metal:61:11
    const u64 f_q_inv = *(u64 *)(field + 8);
    const u64 f_r2 = *(u64 *)(field + 16);
    const u32 v18 = *(u32 *)span; // ntt.metal:62:22
    const u32 v19 = v18 - 1u;
    const u32 k = id_x & v19;
    const u32 v21 = id_y * v12; // ntt.metal:63:19
    const u32 v22 = id_x * 2u;
    const u32 v23 = v21 + v22;
    const u32 i = v23 - k;
    u = ((u64 *)x)[i]; // ntt.metal:64:27
    const u32 v26 = i + v18; // ntt.metal:65:30
    v = ((u64 *)x)[v26];
    const u32 v28 = v18 + k; // ntt.metal:66:39
    const u64 v29 = ((u64 *)w)[v28];
    const u64 lo = v * v29; // modular.h:38:22
    const u64 m = lo * f_q_inv; // modular.h:39:22
    const u64 v32 = gm_umulhi(v, v29); // modular.h:41:19
    const u64 v33 = gm_umulhi(m, f_q);
    const u64 v34 = v32 + v33;
    const bool v35 = lo != 0ull;
    const u64 v36 = v35 ? 1ull : 0ull;
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
    ((u64 *)x)[i] = u; // ntt.metal:67:10
    ((u64 *)x)[v26] = v; // ntt.metal:68:17
}
