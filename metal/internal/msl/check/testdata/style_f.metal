#include <metal_stdlib>
using namespace metal;
// PyTorch/steel-like
template <typename T> struct OpMath { using type = T; };
template <> struct OpMath<half> { using type = float; };
template <typename T> using opmath_t = typename OpMath<T>::type;
template <typename T, short BROWS, short BCOLS, short dst_ld, short reduction_dim, short tgp_size, short alignment = 1, short n_reads = (BCOLS * BROWS) / (tgp_size), short TCOLS = BCOLS / n_reads, short TROWS = tgp_size / TCOLS>
struct BlockLoader {
  static constant constexpr const short n_rows = (BROWS + TROWS - 1) / TROWS;
  static constant constexpr const short vec_size = n_reads;
  const int src_ld; const int tile_stride; const short thread_idx; const short bi; const short bj;
  threadgroup T* dst; const device T* src;
  struct alignas(alignment * sizeof(T)) ReadVector { uint8_t v[sizeof(T) * vec_size]; };
  inline BlockLoader(const device T* src_, const int src_ld_, threadgroup T* dst_, ushort simd_group_id [[simdgroup_index_in_threadgroup]], ushort simd_lane_id [[thread_index_in_simdgroup]])
      : src_ld(src_ld_), tile_stride(reduction_dim ? BCOLS : BROWS * src_ld), thread_idx(simd_group_id * 32 + simd_lane_id), bi(thread_idx / TCOLS), bj(vec_size * (thread_idx % TCOLS)), dst(dst_ + bi * dst_ld + bj), src(src_ + bi * src_ld + bj) {}
  template <typename UnaryOp> inline void apply_inplace_op(thread const UnaryOp& op) const {
    for (short i = 0; i < BROWS; i += TROWS) { for (short j = 0; j < vec_size; j++) { dst[i * dst_ld + j] = op.apply(dst[i * dst_ld + j]); } }
  }
  inline void load_unsafe() const {
    for (short i = 0; i < BROWS; i += TROWS) { *((threadgroup ReadVector*)(&dst[i * dst_ld])) = *((const device ReadVector*)(&src[i * src_ld])); }
  }
  inline void load_safe(short2 src_tile_dim) const {
    src_tile_dim = src_tile_dim - short2(bj, bi);
    if (src_tile_dim.x <= 0 || src_tile_dim.y <= 0) { for (short i = 0; i < BROWS; i += TROWS) for (short j = 0; j < vec_size; j++) dst[i * dst_ld + j] = T(0); return; }
    bool tmp_idx[vec_size]; T tmp_val[vec_size];
    for (short j = 0; j < vec_size; j++) { tmp_idx[j] = (0 < src_tile_dim.y) && (j < src_tile_dim.x); }
    for (short j = 0; j < vec_size; j++) { tmp_val[j] = src[(tmp_idx[j] ? j : 0)]; tmp_val[j] = tmp_idx[j] ? tmp_val[j] : T(0); }
  }
  inline void next() { src += tile_stride; }
};
template <typename OutT, typename InT> struct TransformNone { static inline OutT apply(InT x) { return static_cast<OutT>(x); } static inline OutT apply(InT x, OutT) { return static_cast<OutT>(x); } };
template <typename T> struct AccumHelper { typedef float accum_type; };
struct LoopAlignment {}; template <bool M, bool N> struct LA { static constexpr constant bool m = M; };
template <typename T, typename AccumType = typename AccumHelper<T>::accum_type, typename Epilogue = TransformNone<T, AccumType>>
struct Gemm { using loader = BlockLoader<T, 8, 8, 8, 1, 32>; 
  template <bool M_aligned> static inline void loop(thread loader &l, LA<M_aligned, true> la = {}) { if (M_aligned) l.load_unsafe(); else l.load_safe(short2(3, 4)); if (la.m) l.next(); }
  static inline void run(const device T *a, device T *o, threadgroup T *tg, uint lane) { thread loader l(a, 8, tg, 0, lane); loop<true>(l); loop<false>(l, LA<false, true>{}); o[0] = Epilogue::apply(AccumType(tg[0])); } };
template <typename T> [[kernel, max_total_threads_per_threadgroup(32)]] void gemm(const device T *a [[buffer(0)]], device T *o [[buffer(1)]], uint lane [[thread_index_in_simdgroup]], const constant int* bs [[buffer(7), function_constant(hb)]]) {
  threadgroup T tg[64]; Gemm<T>::run(a, o, tg, lane);
  opmath_t<T> acc = static_cast<opmath_t<T>>(a[0]); 
  using G = Gemm<T>; typename G::loader ld(a, 8, tg, 0, 0); ld.next();
  const short tm = 4 * (lane / 2); const bool al = hb ? bs[0] > 1 : true; o[1] = T(acc) + tm + al;
}
constant bool hb [[function_constant(10)]];
template [[host_name("gemm_f")]] [[kernel]] void gemm<float>(const device float *, device float *, uint, const constant int*);
template [[host_name("gemm_h")]] [[kernel]] void gemm<half>(const device half *, device half *, uint, const constant int*);
struct Lim { static constexpr constant float lo = -INFINITY; };
template <typename T> inline T softmax_exp(T x) { return fast::exp(x); }
template <typename T, typename AccT = T, int N_READS = 4> kernel void softmax(const device T* in, device T* out, constant int& axis_size, uint gid [[threadgroup_position_in_grid]], uint _lid [[thread_position_in_threadgroup]], uint simd_lane_id [[thread_index_in_simdgroup]], uint simd_group_id [[simdgroup_index_in_threadgroup]]) {
  int lid = _lid; constexpr int SIMD_SIZE = 32; threadgroup AccT local_max[SIMD_SIZE]; threadgroup AccT local_normalizer[SIMD_SIZE];
  AccT ld[N_READS]; in += gid * size_t(axis_size) + lid * N_READS;
  if (lid * N_READS + N_READS <= axis_size) { for (int i = 0; i < N_READS; i++) { ld[i] = AccT(in[i]); } } else { for (int i = 0; i < N_READS; i++) ld[i] = ((lid * N_READS + i) < axis_size) ? AccT(in[i]) : Lim::lo; }
  if (simd_group_id == 0) { local_max[simd_lane_id] = Lim::lo; local_normalizer[simd_lane_id] = 0; }
  threadgroup_barrier(mem_flags::mem_threadgroup);
  AccT maxval = numeric_limits<AccT>::lowest(); for (int i = 0; i < N_READS; i++) { maxval = (maxval < ld[i]) ? ld[i] : maxval; }
  maxval = simd_max(maxval); AccT normalizer = 0; for (int i = 0; i < N_READS; i++) { AccT exp_x = softmax_exp(ld[i] - maxval); ld[i] = exp_x; normalizer += exp_x; }
  normalizer = 1 / simd_sum(normalizer); out += gid * size_t(axis_size); for (int i = 0; i < N_READS; i++) out[i] = T(ld[i] * normalizer);
}
template [[host_name("softmax_f")]] kernel void softmax<float>(const device float*, device float*, constant int&, uint, uint, uint, uint);
template [[host_name("softmax_h")]] [[kernel]] decltype(softmax<half, float>) softmax<half, float>;
