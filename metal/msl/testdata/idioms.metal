// Idioms of PyTorch, MLX and ggml.
#include <metal_stdlib>
#include <metal_simdgroup>
using namespace metal;

#define FOR_UNROLL(x) _Pragma("clang loop unroll(full)") for (x)
#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define N_SIMDWIDTH 4

// MLX: elementwise functors by copy templates with an index helper.
template <typename IdxT = int64_t>
METAL_FUNC IdxT elem_to_loc(IdxT elem, constant const int *shape, constant const int64_t *strides, int ndim) {
    IdxT loc = 0;
    for (int i = ndim - 1; i >= 0 && elem > 0; --i) {
        loc += (elem % shape[i]) * IdxT(strides[i]);
        elem /= shape[i];
    }
    return loc;
}
template <typename T, typename U>
[[kernel]] void copy_g(device const T *src [[buffer(0)]], device U *dst [[buffer(1)]], constant const int *shape [[buffer(3)]],
                       constant const int64_t *strides [[buffer(4)]], constant const int &ndim [[buffer(5)]],
                       uint3 index [[thread_position_in_grid]], uint3 grid [[threads_per_grid]]) {
    auto at = elem_to_loc<int64_t>(index.x + int64_t(grid.x) * index.y, shape, strides, ndim);
    dst[index.x + grid.x * index.y] = static_cast<U>(src[at]);
}
// run copy_g_f32f16 threads=3,2 0=float[1 2 3 4 5 6] 1=half*6 3=int[2 3] 4=long[1 2] 5=int[2] -> 1=half[1 3 5 2 4 6]
template [[host_name("copy_g_f32f16")]] [[kernel]] decltype(copy_g<float, half>) copy_g<float, half>;

// MLX: softmax with simd reductions, one simdgroup.
template <typename T, typename AccT = float>
[[kernel]] void rowmax(const device T *in, device T *out, constant int &size, uint lid [[thread_position_in_threadgroup]],
                       uint lane [[thread_index_in_simdgroup]], uint group [[simdgroup_index_in_threadgroup]]) {
    constexpr int SIMD_SIZE = 8;
    threadgroup AccT local[SIMD_SIZE];
    AccT ld = (int(lid) < size) ? AccT(in[lid]) : -INFINITY;
    if (group == 0) local[lane] = -INFINITY;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    AccT m = simd_max(ld);
    if (lane == 0) local[group] = m;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (group == 0) {
        m = simd_max(local[lane]);
        if (lane == 0) local[0] = m;
    }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    m = local[0];
    if (int(lid) < size) out[lid] = T(ld - m);
}
// run rowmax_f16 threads=16 width=8 0=half[1 5 2 -1 0 0 0 0 0 7 0 0 0 0 0] 1=half*15 2=int[12] -> 1=half[-6 -2 -5 -8 -7 -7 -7 -7 -7 0 -7 -7 0 0 0]
template [[host_name("rowmax_f16")]] [[kernel]] decltype(rowmax<half>) rowmax<half>;

// PyTorch: a struct pair result, nested namespaces, opmath types.
namespace c10 {
namespace metal {
template <typename T> struct OpMathType { using type = T; };
template <> struct OpMathType<half> { using type = float; };
template <typename T> using opmath_t = typename OpMathType<T>::type;
template <typename T> struct pair { T first; T second; };
}  // namespace metal
}  // namespace c10
template <typename T> c10::metal::pair<T> minmax_of(T a, T b) { return a < b ? c10::metal::pair<T>{a, b} : c10::metal::pair<T>{b, a}; }
template <typename P, typename T = decltype(P::first)> T spread(P p) { return p.second - p.first; }
template <typename T>
kernel void spreads(constant T *a [[buffer(0)]], constant T *b [[buffer(1)]], device T *out [[buffer(2)]], uint i [[thread_position_in_grid]]) {
    using acc_t = c10::metal::opmath_t<T>;
    auto p = minmax_of(acc_t(a[i]), acc_t(b[i]));
    out[i] = static_cast<T>(spread(p));
}
#define REGISTER_SPREAD(DTYPE)                                     \
    template [[host_name("spreads_" #DTYPE)]] kernel void spreads<DTYPE>( \
        constant DTYPE * a [[buffer(0)]],                          \
        constant DTYPE * b [[buffer(1)]],                          \
        device DTYPE * out [[buffer(2)]],                          \
        uint i [[thread_position_in_grid]])
// run spreads_half threads=2 0=half[1 8] 1=half[4 2] 2=half*2 -> 2=half[3 6]
REGISTER_SPREAD(half);
// run spreads_int threads=2 0=int[1 8] 1=int[4 2] 2=int*2 -> 2=int[3 6]
REGISTER_SPREAD(int);

// ggml: quantised blocks, byte pointers, casts between pointers.
#define QK 8
typedef struct {
    half d;
    int8_t qs[QK];
} block_q8;
typedef struct {
    int32_t ne00;
    uint64_t nb01;
} ggml_args;
template <typename type4x> void dequantize(device const block_q8 *xb, short il, thread type4x &reg) {
    device const int8_t *qs = xb->qs;
    const float d = xb->d;
    for (int i = 0; i < 4; i++) reg[i] = qs[i + 4 * il] * d;
}
// run kernel_get_rows threads=2,2 0=int[8]int[0]ulong[10] 1=half[0.5]char[1 2 3 4 5 6 7 -8]half[2]char[-1 0 1 2 3 4 5 6] 2=float*16 -> 2=float[0.5 1 1.5 2 2.5 3 3.5 -4 -2 0 2 4 6 8 10 12]
kernel void kernel_get_rows(constant ggml_args & args, device const void * src0, device void * dst, uint3 tpig[[thread_position_in_grid]]) {
    device const block_q8 * row = (device const block_q8 *) ((device const char *) src0 + tpig.y * args.nb01);
    float4 v;
    dequantize(row, tpig.x, v);
    ((device float4 *) ((device char *) dst + tpig.y * args.ne00 * 4))[tpig.x] = v;
}

// ggml: sum over rows with simd_sum and helper thread counts.
// run kernel_sum_rows threads=4 width=4 0=float[1 2 3 4 5 6] 1=float*1 2=int[6] -> 1=float[21]
kernel void kernel_sum_rows(device const float * src, device float * dst, constant int & ne00,
        ushort tiisg[[thread_index_in_simdgroup]]) {
    float sumf = 0;
    for (int i0 = tiisg; i0 < MIN(ne00, 100); i0 += N_SIMDWIDTH) {
        sumf += src[i0];
    }
    sumf = simd_sum(sumf);
    if (tiisg == 0) dst[0] = sumf;
}

// Bitonic step with a struct of pointers to threadgroup memory, FOR_UNROLL, references to threadgroup.
inline void order(threadgroup int &a, threadgroup int &b, bool up) {
    if ((a > b) == up) {
        int t = a;
        a = b;
        b = t;
    }
}
// run bitonic threads=4 0=int[7 2 9 1 8 3 6 5] -> 0=int[1 2 3 5 6 7 8 9]
kernel void bitonic(device int *x, uint t [[thread_position_in_threadgroup]]) {
    threadgroup int s[8];
    FOR_UNROLL(uint i = 0; i < 2; i++) { s[t + 4 * i] = x[t + 4 * i]; }
    threadgroup_barrier(mem_flags::mem_threadgroup);
    for (uint k = 2; k <= 8; k <<= 1)
        for (uint j = k >> 1; j > 0; j >>= 1) {
            uint i = 2 * t - (t & (j - 1));
            order(s[i], s[i + j], (i & k) == 0);
            threadgroup_barrier(mem_flags::mem_threadgroup);
        }
    FOR_UNROLL(uint i = 0; i < 2; i++) { x[t + 4 * i] = s[t + 4 * i]; }
}

// Mathematics: precise and fast, with exact results.
// run maths threads=1 0=float*8 -> 0=float[3 0.5 8 -2 0.25 5 0.75 2]
kernel void maths(device float *out) {
    out[0] = precise::sqrt(9.0f);
    out[1] = rsqrt(4.0f);
    out[2] = ldexp(1.0f, 3);
    out[3] = floor(-1.5f);
    float whole;
    out[4] = modf(5.25f, whole);
    out[5] = whole;
    int e;
    out[6] = frexp(3.0f, e);
    out[7] = float(e);
}
