// ggml & numeric style
#include <metal_stdlib>
using namespace metal;
#define QK4_0 32
#define QR4_0 2
typedef struct { half d; uint8_t qs[QK4_0 / 2]; } block_q4_0;
typedef struct { int32_t ne00; uint64_t nb00; float eps; } ggml_args;
#define FOR_UNROLL(x) _Pragma("clang loop unroll(full)") for (x)
template <typename type4x4>
void dequantize_q4_0(device const block_q4_0 * xb, short il, thread type4x4 & reg) {
    device const uint16_t * qs = ((device const uint16_t *)xb + 1);
    const float d1 = il ? (xb->d / 16.h) : xb->d;
    const float d2 = d1 / 256.f;
    const ushort mask0 = il ? 0x00F0 : 0x000F;
    const ushort mask1 = mask0 << 8;
    for (int i = 0; i < 2; i++) { reg[i] = d1 * (qs[i] & mask0) + d2 * (qs[i] & mask1); }
}
enum ggml_sort_order { GGML_SORT_ORDER_ASC, GGML_SORT_ORDER_DESC };
template<ggml_sort_order order>
kernel void kernel_argsort(constant ggml_args & args, device const char * src0, device int32_t * dst, threadgroup int32_t * shmem_i32 [[threadgroup(0)]], ushort3 tpitg[[thread_position_in_threadgroup]], uint3 tgpig[[threadgroup_position_in_grid]]) {
    const int col = tpitg[0];
    shmem_i32[col] = col;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    device const float * x = (device const float *)(src0 + args.nb00 * tgpig.x);
    if (order == GGML_SORT_ORDER_ASC ? x[0] > x[1] : x[0] < x[1]) { }
    float4 sumf[4] = {0.f};
    float4 s4(0.f);
}
typedef decltype(kernel_argsort<GGML_SORT_ORDER_ASC>) kernel_argsort_t;
template [[host_name("kernel_argsort_f32_i32_asc")]]  kernel kernel_argsort_t kernel_argsort<GGML_SORT_ORDER_ASC>;
kernel void kernel_norm(constant ggml_args & args, device const char * src0, device char * dst, threadgroup float * shmem_f32 [[threadgroup(0)]],
   uint3 tgpig[[threadgroup_position_in_grid]], ushort sgitg[[simdgroup_index_in_threadgroup]], ushort tiisg[[thread_index_in_simdgroup]], ushort3 ntg[[threads_per_threadgroup]]) {
    if (sgitg == 0) { shmem_f32[tiisg] = 0.0f; }
    device const float4 * x = (device const float4 *) (src0 + tgpig.x*args.nb00);
    float4 sumf = 0; float y2 = 0.0f;
    for (int i00 = tiisg; i00 < args.ne00/4; i00 += ntg.x) { sumf += x[i00]; y2 += dot(x[i00], x[i00]); }
    float s = sumf[0] + sumf[1] + sumf[2] + sumf[3];
    s = simd_sum(s);
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (tiisg == 0) shmem_f32[sgitg] = s;
    const float mean = s / args.ne00;
    const float scale = 1.0f/sqrt(mean + args.eps);
    device float4 * y = (device float4 *) (dst);
    for (int i00 = tiisg; i00 < args.ne00/4; i00 += ntg.x) { y[i00] = (x[i00] - mean) * scale; }
    float tmp[16];
    thread float4 *t4 = (thread float4*)tmp;
    t4[0] = y[0];
    (void)y2;
    {
        #pragma METAL fp math_mode(safe)
        #pragma METAL fp contract(off)
        y2 = y2 * 2 + 1;
    }
}
