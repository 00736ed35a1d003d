// Small kernels in the styles of public shaders.
#include <metal_stdlib>
#include <metal_simdgroup>
#include <metal_atomic>
using namespace metal;

// Implicit buffer numbers, one body for several types by a macro.
#define KERNEL_ADD(T, suffix)                                            \
  kernel void add_##suffix(device const T *a, device const T *b,         \
                           device T *out, uint i [[thread_position_in_grid]]) { \
    out[i] = a[i] + b[i];                                                \
  }
KERNEL_ADD(float, f32)
KERNEL_ADD(int, i32)
KERNEL_ADD(ulong, u64)

// Functors, an operation as a template argument, unrolled loops.
#define FUNC [[gnu::always_inline]] inline
struct Sum {
  template <typename T> FUNC T operator()(T a, T b) thread const { return a + b; }
  template <typename T> T simd_reduce(T v) { return simd_sum(v); }
  template <typename T> static constexpr T init = T(0);
  template <typename T> void atomic_update(device T *out, T val, size_t offset = 0) {
    atomic_fetch_add_explicit(reinterpret_cast<device atomic<T> *>(out) + offset, val, memory_order_relaxed);
  }
};
template <typename U = float> struct Max {
  static constexpr constant U limit = numeric_limits<U>::lowest();
  template <typename T> enable_if_t<!is_integral_v<T>, T> operator()(T a, T b) { return a > b ? a : b; }
  template <typename T> enable_if_t<is_integral_v<T>, T> operator()(T a, T b) { return metal::max(a, b); }
};
template <typename T, typename U, typename Op, int NR = 4, bool Large = false>
[[kernel, max_total_threads_per_threadgroup(256)]] void row_reduce(
    const device T *in [[buffer(0)]],
    device U *out [[buffer(1)]],
    const constant size_t &row [[buffer(2)]],
    const constant int64_t *strides [[buffer(3)]],
    uint3 gid [[threadgroup_position_in_grid]],
    uint lid [[thread_index_in_threadgroup]],
    uint lane [[thread_index_in_simdgroup]], uint per [[threads_per_simdgroup]]) {
  using Index = metal::conditional_t<Large, int64_t, int>;
  Op op;
  U totals[NR] = {Op::template init<U>};
  threadgroup U shared[32];
  _Pragma("clang loop unroll(full)")
  for (int i = 0; i < NR; i++) {
    totals[i] = op(static_cast<U>(in[i * Index(row) + lid]), totals[i]);
  }
#pragma unroll
  for (short i = 1; i < NR; ++i) totals[0] = op(totals[0], totals[i]);
  totals[0] = op.simd_reduce(totals[0]);
  if (lane == 0) shared[lid / per] = totals[0];
  threadgroup_barrier(mem_flags::mem_threadgroup | mem_flags::mem_none);
  if (lid < 1 && lane < (per >> 1)) { out[gid.x] = shared[0]; op.atomic_update(out, totals[0]); }
}
#define instantiate_kernel(name, func, ...) \
  template [[host_name(name)]] [[kernel]] decltype(func<__VA_ARGS__>) func<__VA_ARGS__>;
#define instantiate_reduce(tname, T) \
  instantiate_kernel("row_reduce_" #tname, row_reduce, T, T, Sum) \
  instantiate_kernel("row_reduce_large_" #tname, row_reduce, T, T, Sum, 8, true)
instantiate_reduce(float32, float) instantiate_reduce(int32, int)

// Typedefs of a kernel's type.
template <typename block_q, short nl, void (*unused)(int) = nullptr> struct unusual;
template <typename T4, typename T> kernel void norm(constant float &eps, device const char *src, device char *dst,
    threadgroup float *buf [[threadgroup(0)]], ushort3 tpitg [[thread_position_in_threadgroup]]) {
  device const T4 *x = (device const T4 *)(src + tpitg.x);
  device T *y = (device T *) (dst);
  float4 s = 0.0f, t(0.0f);
  for (int i = tpitg.x; i < 4; i += 4) { s += float4(x[i]) * dot(float4(x[i]), float4(1)); }
  const half4 h = (half4)(s) + half(eps);
  y[0] = T((s.x + t.y) / sqrt(float(h.x)));
  float4x4 m; m[0] = s; (void) m;
}
typedef decltype(norm<float4, float>) norm_t;
template [[host_name("norm_f32")]] kernel norm_t norm<float4, float>;
template [[host_name("norm_f16")]] kernel norm_t norm<half4, half>;

// Attributes before and after kernel, and around it.
[[max_total_threads_per_threadgroup(32)]] kernel void before(device float *x) { x[0] = 0; }
kernel [[max_total_threads_per_threadgroup(32)]] void after(device float *x [[buffer(3)]]) { x[0] = 0; }
kernel void __attribute__((used)) middle(device float *x [[buffer(3)]]) { x[0] = 0; }
inline __attribute__((always_inline)) float fast_one() { return precise::exp(1.0f) + metal::fast::log(2.0f) + fast::max(1.0f, 2.0f); }

// Big integers: arrays in structures, 64-bit constants, address-space overloads, volatile.
constant constexpr ulong MODULUS = 0xFFFFFFFF00000001UL;
struct Fp { ulong v; Fp() = default; constexpr explicit Fp(ulong x) thread : v(x) {} constexpr Fp(ulong x) constant : v(x) {}
  Fp operator*(const Fp rhs) const { ulong hi = mulhi(v, rhs.v), lo = v * rhs.v; return Fp(lo - hi * (MODULUS >> 32)); }
  void operator=(ulong x) device { v = x; }
  operator ulong() const { return v; }
  template <typename Fn> constexpr Fp map(Fn fn) const { return fn(*this); } };
struct Big { uint limbs[8]; inline uint get(uint i) const device { return limbs[i]; } inline uint get(uint i) const thread { return limbs[i]; } };
constant Fp ROOTS[2] = { Fp(1UL), Fp{7} };
constant Big ONE = {{1, 0, 0, 0, 0, 0, 0, 0}};
void load(thread Big &r, const device Big *p, uint n) { for (uint i = 0; i < n; i++) { r.limbs[i] = p[n].get(i); } }
void load(thread Big &r, threadgroup Big *p, uint n) { r = *p; }
bool less(const thread Big &a, const thread Big &b) { for (int i = 7; i >= 0; i--) { if (a.limbs[i] < b.limbs[i]) return true; if (a.limbs[i] > b.limbs[i]) { return false; } } return false; }
[[kernel]] void ntt(device Fp *x [[buffer(0)]], constant uint32_t &stage [[buffer(1)]], uint32_t i [[thread_position_in_grid]]) {
  const uint half_size = 1u << stage, j = i & (half_size - 1u);
  volatile device Fp *p = (volatile device Fp *)x;
  Fp u = x[i], t = ROOTS[j & 1] * x[i + half_size];
  x[i] = Fp(ulong(u) + ulong(t)); x[i + half_size] = ulong{u} - (ulong)t; (void)p;
  auto y = u.map([](Fp z) { return z * z; });
  x[0] = y;
}

// Double-double arithmetic with pairs and pointers.
namespace dd {
  inline float2 two_sum(float a, float b) { float s = a + b, bb = s - a; return float2(s, (a - (s - bb)) + (b - bb)); }
  static inline void quick(thread float *hi, thread float *lo) { float s = *hi + *lo; *lo = *lo - (s - *hi); *hi = s; }
  constant struct { float hi, lo; } PI = {3.14159274f, -8.74227766e-8f};
  enum : uint { limit = 3u };
  inline float sum(const device float *x, uint n) { if (n <= limit) { float r = x[0]; return n < 2 ? r : r + sum(x + 1, n - 1); } return PI.hi; }
}
kernel void dd_kernel(device float2 *o, const device float *x, constant struct { uint n; } *args, uint i [[thread_position_in_grid]]); // ### a struct cannot be defined here
kernel void atomics(device atomic_float *sum [[buffer(0)]], device metal::atomic_uint &n [[buffer(1)]], volatile device atomic<int> *k) {
  float hi = 1, lo = 2; dd::quick(&hi, &lo);
  auto r = dd::two_sum(hi, lo); atomic_fetch_add_explicit(sum, r.x, metal::memory_order_relaxed);
  uint expected = 0; while (!atomic_compare_exchange_weak_explicit(&n, &expected, expected + 1, memory_order_relaxed, memory_order_relaxed)) {}
  packed_float3 p = packed_float3(1, 2, 3); p.x += 1; uint3 v = {1, 2, 3}; v.xy += 1; uchar4 c = uchar4(v.xyzz); int n2 = -(int)c.x; (void)n2;
  const auto z = metal::select(float4(1), float4(2), bool4(true)); unsigned long q = (unsigned long)z.x; q <<= 3; q >>= 1;
  uint8_t small = (uint8_t)(q & 0xff) ^ uint8_t('a'); (void)small; bool ok = !(q > 3) && ~q & 1; (void)ok;
}
