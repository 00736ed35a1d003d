// What the larger public libraries write: traits, packs, partial specialisation, constants as types.
#include <metal_stdlib>
using namespace metal;
#define METAL_FUNC inline __attribute__((__always_inline__))
#define CONST static constant constexpr const

template <typename T, T v> struct constant_of {
  static constexpr constant T value = v;
  using value_type = T;
  METAL_FUNC constexpr operator value_type() const noexcept { return value; }
  METAL_FUNC constexpr value_type operator()() const noexcept { return value; }
};
template <bool B> using flag_of = constant_of<bool, B>;
template <class T> struct is_const_of : flag_of<false> {};
template <class T, T v> struct is_const_of<constant_of<T, v>> : flag_of<true> {};
template <typename T> constexpr constant bool is_const_of_v = is_const_of<T>::value;
template <int val> using Num = constant_of<int, val>;
#define BINOP(__op__, __operator__)                                                              \
  template <typename T, T tv, typename U, U uv>                                                  \
  METAL_FUNC constexpr auto __operator__(constant_of<T, tv>, constant_of<U, uv>) {               \
    constexpr auto res = tv __op__ uv;                                                           \
    return constant_of<decltype(res), res>{};                                                    \
  }
BINOP(+, operator+) BINOP(<, operator<); BINOP(>>, operator>>)
template <typename T> METAL_FUNC constexpr T total(T x) { return x; }
template <typename T, typename... Us> METAL_FUNC constexpr auto total(T x, Us... us) { return x + total(us...); }
template <class...> struct any_of : false_type {};
template <class B1> struct any_of<B1> : B1 {};
template <class B1, class... Bn> struct any_of<B1, Bn...> : conditional_t<bool(B1::value), B1, any_of<Bn...>> {};
template <typename T> constexpr constant bool native = any_of<is_same<T, int>, is_same<T, uint>, is_same<T, float>>::value;
template <typename T, typename = void> struct cell { atomic<uint> val; };
template <typename T> struct cell<T, enable_if_t<native<T>>> { atomic<T> val; };
template <typename T, enable_if_t<native<T>, bool> = true> METAL_FUNC T load_cell(device cell<T> *object, size_t offset) {
  return atomic_load_explicit(&(object[offset].val), memory_order_relaxed);
}
template <typename T, enable_if_t<!native<T>, bool> = true> METAL_FUNC T load_cell(device cell<T> *object, size_t offset) {
  union { uint u; T parts[sizeof(uint) / sizeof(T)]; } both = {atomic_load_explicit(&object[offset].val, memory_order_relaxed)};
  return both.parts[0];
}
template <typename U> struct Limits { static const constant U max = metal::numeric_limits<U>::max(); static const constant U min; };
#define LIMITS(T) template <> struct Limits<T> { static constexpr constant T max = metal::numeric_limits<T>::max(); static constexpr constant T min = -metal::numeric_limits<T>::infinity(); };
LIMITS(float) LIMITS(half);
template <typename T> static constexpr constant bool converts = !is_same_v<T, struct Complex> && is_convertible_v<T, float>;
struct Complex {
  float real, imag;
  constexpr Complex(float real, float imag) : real(real), imag(imag) {};
  template <typename T, typename = typename enable_if<converts<T>>::type> constexpr Complex(T x) thread : real(x), imag(0) {}
  template <typename T, typename = typename enable_if<converts<T>>::type> constexpr Complex(T x) threadgroup : real(x), imag(0) {}
  template <typename T, typename = typename enable_if<converts<T>>::type> constexpr operator T() const thread { return static_cast<T>(real); }
};
constexpr Complex operator-(Complex x) { return {-x.real, -x.imag}; }
constexpr bool operator>=(Complex a, Complex b) { return (a.real > b.real) || (a.real == b.real && a.imag >= b.imag); }

template <typename T, short BM, short BN, typename AccumType = float, short kRows = BM / 8, bool big = (BM * BN >= 64)>
struct Frag {
  CONST int kElems = (kRows * BN) / 32;
  typedef vec<T, kElems> frag_type;
  typedef metal::simdgroup_matrix<T, 8, 8> mat_type;
  static_assert(BM >= 8 && BN > (4), "fragments are large");
  frag_type val[kRows * BN] = {frag_type(0)};
  METAL_FUNC constexpr thread frag_type &at(const short i, const short j) { return val[i * BN + j]; }
  METAL_FUNC constexpr const thread frag_type &at(const short i, const short j) const { return val[i * BN + j]; }
  METAL_FUNC thread T *elems() { return reinterpret_cast<thread T *>(val); }
  template <typename Src, typename StrX, typename StrY = Num<1>, int N = kElems>
  METAL_FUNC static constexpr void load(thread frag_type &dst, Src src, StrX x, StrY y = {}) {
#pragma unroll
    for (short i = 0; i < N; i++) { dst[i] = static_cast<T>(src[i * x + y.value]); }
  }
  METAL_FUNC static ushort2 where(ushort lane [[thread_index_in_simdgroup]]) { const short q = lane / 4; return ushort2{ushort(q & 4), ushort(q << 1)}; }
};
template <typename T, short M, short N, typename FragT = Frag<T, M, N>> struct Tile {
  using Frag_t = FragT;
  using frag_type = typename FragT::frag_type;
  template <typename U, int w_x, int w_y> METAL_FUNC void load(const threadgroup U *src) {
    Frag_t::load(f.at(0, 0), &(src[(w_x * 8) + w_y]), Num<w_x>{}, Num<w_y>());
    Frag_t::template load<const threadgroup U *, Num<w_x>>(f.at(1, 0), src, {});
    FragT::template load<const threadgroup U *, Num<w_x>, Num<w_y>, (w_x > 1)>(f.at(1, 0), src, Num<w_x>{}, Num<w_y>{});
  }
  template <template <typename> class Op> METAL_FUNC void each(Op<T> op) thread { for (auto i = 0; i < M; i++) f.val[i] = op(f.val[i]); }
  FragT f;
};
template <typename T, ::metal::enable_if_t<::metal::is_integral_v<T>, bool> = true> inline T third(T a) { return a < T(3) ? a : T(3); }
template <typename T, ::metal::enable_if_t<!::metal::is_integral_v<T> && (sizeof(T) > 2), bool> = true> inline T third(T a) { return ::metal::min(a, T(3)); }
namespace detail { template <typename T> struct Wide { using type = float; }; template <> struct Wide<long> { using type = long; };
  template <typename T, short N> struct Wide<vec<T, N>> { using type = vec<typename Wide<T>::type, N>; }; }
template <typename T> using wide_t = typename detail::Wide<T>::type;
enum class Mode : ushort { rows = 0, columns };
template <Mode mode, typename F> struct Apply { template <typename T> wide_t<T> operator()(thread const F &f, constant auto &x) const {
  if constexpr (mode == Mode::rows) { return wide_t<T>(f(x)); } else { return static_cast<wide_t<T>>(x) + wide_t<T>{}; } } };
template <typename F, typename T> METAL_FUNC wide_t<T> run(F f, const constant T &x) { Apply<Mode::columns, F> a; auto y = Apply<Mode::rows, F>{}.template operator()<T>(f, x); return y + a.template operator()<T>(f, x); }
template <typename T> struct limits_of { T operator()(T x) { return x; } };
template <typename T, int M, int N = 2 * M> [[kernel, max_total_threads_per_threadgroup(M * N)]] void tiles(
    const device T *a [[buffer(0)]], const constant Limits<T> *p [[buffer(1), function_constant(has_p)]], device wide_t<T> &out [[buffer(2)]],
    uint lane [[thread_index_in_simdgroup]], uint3 tid [[threadgroup_position_in_grid]]) {
  threadgroup T shared[M * (N + 16 / sizeof(T))];
  thread Tile<T, M, N> t; t.template load<T, 1, 2>(shared + lane);
  const_for<0, N, 1>([&](auto i) { out += i.value; });
  using P = metal::conditional_t<is_const_of_v<Num<M>>, const device T *, const threadgroup T *>;
  P ptr = P(nullptr); (void)ptr; if (lane < M && lane > N) return;
  out = wide_t<T>(t.f.at(0, 0)[0]); t.each(limits_of<T>{}); constexpr int both = Num<M>{} + Num<N>();
}
