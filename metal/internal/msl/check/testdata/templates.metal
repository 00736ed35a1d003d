#include <metal_stdlib>
#include <metal_simdgroup>
using namespace metal;

#define METAL_FUNC inline __attribute__((__always_inline__))
namespace ops {
template <typename T> struct Limits { static const constant T max; static const constant T min; };
#define instantiate_limit(type)                                                             \
  template <> struct Limits<type> {                                                          \
    static constexpr constant type max = metal::numeric_limits<type>::max();                  \
    static constexpr constant type min = metal::numeric_limits<type>::min();                  \
    static constexpr constant type finite_max = metal::numeric_limits<type>::max();            \
  };
instantiate_limit(uint8_t);
instantiate_limit(int);
template <> struct Limits<float> {
  static constexpr constant float max = metal::numeric_limits<float>::infinity();
  static constexpr constant float min = -metal::numeric_limits<float>::infinity();
};
} // namespace ops
using namespace ops;

typedef half float16_t;
template <typename U> struct CumSum {
  template <typename T> METAL_FUNC T operator()(T a, T b) { return a + b; }
  static constexpr constant U init = static_cast<U>(0);
};
struct Max {
  template <typename T>
  metal::enable_if_t<metal::is_integral_v<T>, T> operator()(T x, T y) { return metal::max(x, y); }
  template <typename T>
  metal::enable_if_t<!metal::is_integral_v<T>, T> operator()(T x, T y) {
    if (metal::isnan(x)) { return x; }
    return x > y ? x : y;
  }
};

template <typename T> METAL_FUNC T wsum(T val) { for (int i = 16; i > 0; i /= 2) { val += simd_shuffle_down(val, (ushort)i); } return val; }
template <typename T, typename U, typename Op, int N_READS = 4>
METAL_FUNC void per_thread(U thread totals[N_READS], const device T *inputs, int blocks) {
  Op op;
  for (int i = 0; i < N_READS; i++) totals[i] = Op::init;
  for (int b = 0; b < blocks; b++)
    for (int i = 0; i < N_READS; i++) totals[i] = op(static_cast<U>(inputs[i]), totals[i]);
}

template <typename T, typename U, typename Op, int N = 4>
[[kernel]] void all_reduce(const device T *in [[buffer(0)]], device U *out [[buffer(1)]],
    const constant size_t &in_size [[buffer(2)]], uint3 gid [[threadgroup_position_in_grid]],
    uint3 lid [[thread_position_in_threadgroup]], uint simd_per_group [[simdgroups_per_threadgroup]],
    uint simd_lane_id [[thread_index_in_simdgroup]]) {
  threadgroup U shared_vals[32];
  U totals[N];
  per_thread<T, U, Op, N>(totals, in, int(in_size));
  auto total = totals[0];
  if constexpr (N > 2) { total += totals[2]; } else { total.nonsense(); }
  const auto& t2 = total;
  shared_vals[lid.x] = wsum(t2);
  threadgroup_barrier(mem_flags::mem_threadgroup);
  out[gid.x] = simd_lane_id < simd_per_group ? shared_vals[simd_lane_id] : U(Op::init);
}
#define inst(name, func, ...) template [[host_name(name)]] [[kernel]] decltype(func<__VA_ARGS__>) func<__VA_ARGS__>;
inst("all_f32", all_reduce, float, float, CumSum<float>)
inst("all_u8", all_reduce, uchar, int, CumSum<int>, 3)

typedef decltype(all_reduce<half, float, CumSum<float>>) all_t;
template [[host_name("all_f16")]] kernel all_t all_reduce<half, float, CumSum<float>>;

template <typename T, int D> struct Block {
  T data[D];
  static constexpr constant short size = D * 2;
  using value_type = T;
  METAL_FUNC Block() thread { for (short i = 0; i < D; i++) data[i] = T(0); }
  METAL_FUNC thread T &at(short i) { return data[i]; }
  METAL_FUNC constexpr thread T &operator[](short i) thread { return data[i]; }
  template <typename U> METAL_FUNC void fill(const device U *p, short n) { for (short i = 0; i < n; ++i) data[i] = static_cast<T>(p[i]); }
};
template <typename T> struct Block<T, 1> { T data; METAL_FUNC thread T &at(short) { return data; } };

template <typename T, typename = void> struct Acc { typedef T type; };
template <> struct Acc<half> { typedef float type; };
template <typename T> using acc_t = typename Acc<T>::type;

template <typename T, uint N> METAL_FUNC T vsum(vec<T, N> v) { T s = T(0); for (uint i = 0; i < N; i++) s += v[i]; return s; }
template <typename T, int N> METAL_FUNC int len(thread T (&a)[N]) { return N; }
template <typename T> T first(const device T *p) { return p[0]; }
template <typename T> T first(const constant T *p) { return p[1]; }
template <typename T> constexpr constant T pi = T(3.14159265);
template <int N> struct fact { static constexpr constant int value = N * fact<N - 1>::value; };
template <> struct fact<0> { static constexpr constant int value = 1; };
static_assert(fact<5>::value == 120, "factorial");
constexpr int ilog2(int n) { int k = 0; while (n > 1) { n >>= 1; ++k; } return k; }
static_assert(ilog2(1024) == 10, "log");
static_assert(is_same_v<acc_t<half>, float> && !is_same<int, float>::value, "traits");
static_assert(sizeof(Block<float, 4>) == 16);
enum class Mode : uchar { A, B = 4, C };
enum { kOne = 1, kTwo };
template <Mode M> float mode() { return M == Mode::B ? 1 : 2; }

constant bool use_mask [[function_constant(200)]];
constant int width_fc [[function_constant(1)]];
constant int width = is_function_constant_defined(width_fc) ? width_fc : 32;
constant bool both = use_mask && width > 2;

template <typename T>
kernel void many(device const T *in, constant T *c [[buffer(5)]], device atomic_uint *cnt, device float *out,
                 device float *opt [[function_constant(use_mask)]], threadgroup T *tg, uint i [[thread_position_in_grid]]) {
  Block<T, 4> b;
  b.fill(in, 4);
  b[1] += in[2];
  b.at(2) = T(1);
  Block<T, 1> one;
  one.at(0) = 3;
  thread auto &ref = b[0];
  ref = 4;
  typename Block<T, 4>::value_type z = b.data[3];
  acc_t<T> a = vsum(vec<T, 4>(z)) + vsum(float3(1, 2, 3));
  int arr[kTwo] = {1, 2};
  for (auto e : arr) a += e;
  for (thread int &e : arr) e += 1;
  array<float, 3> m = {1, 2, 3};
  array<float, 3> m2 = {{1, 2, 3}};
  m[1] = m2[0] + m.size();
  atomic_fetch_add_explicit(cnt, 1u, memory_order_relaxed);
  atomic_fetch_add_explicit(&cnt[1], 1u, memory_order_relaxed);
  out[i] = float(a) + len(arr) + float(first(in)) + float(first(c)) + pi<float> + mode<Mode::B>() + Block<T, 4>::size + m[1];
  if (both) out[0] = width;
  if (use_mask) opt[0] = 1;
  out[1] = Limits<int>::max;
  out[2] = Max()(1, 2) + Max{}(1.0f, 2.0f);
  Mode mm = Mode::A;
  switch (mm) { case Mode::A: out[3] = 1; break; default: break; }
  float2 cs; cs.x = 1; 
  float si = sincos(cs.x, cs.y);  // ### .
  tg[0] = simd_sum(T(1));
}
template [[host_name("many_f")]] kernel void many<float>(device const float *, constant float *, device atomic_uint *, device float *, device float *, threadgroup float *, uint);
