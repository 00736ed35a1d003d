#include <metal_stdlib>
#include <metal_atomic>
using namespace metal;
// mlx-like bits
typedef bfloat bfloat16_t;
struct complex64_t;
template <typename T>
static constexpr constant bool can_convert_to_complex64 = !is_same_v<T, complex64_t> && is_convertible_v<T, float>;
template <typename T>
static constexpr constant bool can_convert_from_complex64 = !is_same_v<T, complex64_t> && (is_convertible_v<float, T> || is_convertible_v<bfloat16_t, T>);
struct complex64_t {
  float real;
  float imag;
  constexpr complex64_t(float real, float imag) : real(real), imag(imag) {};
  constexpr complex64_t() : real(0), imag(0) {};
  constexpr complex64_t() threadgroup : real(0), imag(0) {};
  template <typename T, typename = typename enable_if<can_convert_to_complex64<T>>::type>
  constexpr complex64_t(T x) thread : real(x), imag(0) {}
  template <typename T, typename = typename enable_if<can_convert_to_complex64<T>>::type>
  constexpr complex64_t(T x) threadgroup : real(x), imag(0) {}
  template <typename T, typename = typename enable_if<can_convert_to_complex64<T>>::type>
  constexpr complex64_t(T x) device : real(x), imag(0) {}
  template <typename T, typename = typename enable_if<can_convert_to_complex64<T>>::type>
  constexpr complex64_t(T x) constant : real(x), imag(0) {}
  template <typename T, typename = typename enable_if<can_convert_from_complex64<T>>::type>
  constexpr operator T() const thread { return static_cast<T>(real); }
  template <typename T, typename = typename enable_if<can_convert_from_complex64<T>>::type>
  constexpr operator T() const device { return static_cast<T>(real); }
};
constexpr complex64_t operator-(complex64_t x) { return {-x.real, -x.imag}; }
constexpr bool operator>=(complex64_t a, complex64_t b) { return (a.real > b.real) || (a.real == b.real && a.imag >= b.imag); }
constexpr complex64_t operator+(complex64_t a, complex64_t b) { return {a.real + b.real, a.imag + b.imag}; }
constexpr complex64_t operator*(complex64_t a, complex64_t b) { return {a.real * b.real - a.imag * b.imag, a.real * b.imag + a.imag * b.real}; }

#define METAL_FUNC inline __attribute__((__always_inline__))
template <typename IdxT = int64_t>
METAL_FUNC IdxT elem_to_loc(IdxT elem, constant const int* shape, constant const int64_t* strides, int ndim) {
  IdxT loc = 0;
  for (int i = ndim - 1; i >= 0 && elem > 0; --i) {
    loc += (elem % shape[i]) * IdxT(strides[i]);
    elem /= shape[i];
  }
  return loc;
}
template <int NUNROLL> struct Loop { };
template <typename T> struct Sum {
  template <typename U> METAL_FUNC U operator()(U a, U b) { return a + b; }
  T simd_reduce_impl(T val) { return simd_sum(val); }
  template <typename V, metal::enable_if_t<sizeof(V) < 8, bool> = true>
  V simd_reduce(V val) { return simd_sum(val); }
  template <typename V, metal::enable_if_t<sizeof(V) == 8, bool> = true>
  V simd_reduce(V val) { for (short i = 32 / 2; i > 0; i /= 2) { val = operator()(val, simd_shuffle_down(val, i)); } return val; }
  static constexpr constant T init = T(0);
  template <typename U>
  void atomic_update(device atomic<U>* out, U val, size_t offset = 0) { atomic_fetch_add_explicit(out + offset, val, memory_order_relaxed); }
};
struct Exp { template <typename T> T operator()(T x) { return metal::precise::exp(x); };
  complex64_t operator()(complex64_t x) { auto m = metal::precise::exp(x.real); return {m * metal::precise::cos(x.imag), m * metal::precise::sin(x.imag)}; } };
template <typename T, typename U, typename Op>
[[kernel, max_total_threads_per_threadgroup(sizeof(T) * 64)]] void unary_v(device const T* in, device U* out, constant const int* shape [[buffer(3), function_constant(fcx)]], uint index [[thread_position_in_grid]]) {
  out[index] = Op()(in[index]);
}
constant bool fcx [[function_constant(3)]];
#define instantiate_kernel(name, func, ...) \
  template [[host_name(name)]] [[kernel]] decltype(func<__VA_ARGS__>) func<__VA_ARGS__>;
instantiate_kernel("expf", unary_v, float, float, Exp)
instantiate_kernel("expc", unary_v, complex64_t, complex64_t, Exp)
instantiate_kernel("exph", unary_v, half, half, Exp)
kernel void tst(device complex64_t* a, device float* o, constant const int *shape, constant const int64_t *strides, uint3 pos [[thread_position_in_grid]], device atomic<float> *at) {
  complex64_t x = a[0];
  complex64_t y = x * 2.0f + 1;
  o[0] = y.real + float(y);
  o[1] = Sum<float>().simd_reduce(1.0f);
  o[2] = elem_to_loc<uint>(pos.x, shape, strides, 2) + elem_to_loc(int64_t(pos.x), shape, strides, 2);
  Sum<float> s; s.atomic_update(at, 1.0f);
  auto idx = elem_to_loc(pos.y, shape, strides, 3);
  if (x >= y) o[idx] = Sum<float>::init;
  half2 h2 = half2(1.0h, 2.0f);
  float2 f2 = float2(h2) * 2;
  o[4] = f2.x;
  device float4 *o4 = (device float4 *)o;
  o4[1] = float4(1);
  device uint8_t *bytes = reinterpret_cast<device uint8_t*>(o);
  bytes[3] = 1;
  const device float *ro = o + 3;
  int s2 = simd_shuffle_xor(1, 2);
  threadgroup_barrier(mem_flags::mem_device | mem_flags::mem_threadgroup);
  simd_vote v = simd_ballot(true);
  bool anyb = simd_any(pos.x > 3);
  o[5] = INFINITY; o[6] = M_PI_F; o[7] = FLT_MAX; o[8] = numeric_limits<half>::max(); o[9] = NAN;
  uint lo = mulhi(3u, 4u); ulong hi = mulhi(ulong(3), 4ul);
  o[10] = popcount(lo) + clz(lo) + float(hi);
}
