// Type lists, index sequences, tuples and functors, by packs.
#include <metal_stdlib>
using namespace metal;
template <int N> struct Big { uint l[N]; static Big<N> zero() { Big<N> r; for (int i = 0; i < N; i++) r.l[i] = 0; return r; } Big() = default; Big(uint x) { l[0] = x; for (int i = 1; i < N; i++) l[i] = 0; } };
template <int N> Big<N> operator+(Big<N> a, Big<N> b) { Big<N> r; ulong c = 0; for (int i = 0; i < N; i++) { c += ulong(a.l[i]) + b.l[i]; r.l[i] = uint(c); c >>= 32; } return r; }
template <typename F, typename... A> struct Fn { F f; template <typename... B> auto operator()(B... b) -> decltype(f(b...)) { return f(b...); } };
struct M { int k; int operator()(int a, int b) { return a * b + k; } };
template <typename T> struct Ptr { device T *p; thread const T &operator[](int i) const; T get(int i) const { return p[i]; } };
template <typename T, typename = void> struct is_big : false_type {};
template <int N> struct is_big<Big<N>> : true_type {};
template <bool...> struct bools {};
template <bool... B> using all_true = is_same<bools<true, B...>, bools<B..., true>>;
template <typename... T> struct all_int : all_true<is_integral<T>::value...> {};
template <typename T, T... I> struct integer_sequence { static constexpr constant size_t size = sizeof...(I); };
template <typename S, typename T, T... I> struct push;
template <typename T, T... J, T... I> struct push<integer_sequence<T, J...>, T, I...> { typedef integer_sequence<T, J..., I...> type; };
template <int N> struct make_seq { typedef typename push<typename make_seq<N - 1>::type, int, N - 1>::type type; };
template <> struct make_seq<0> { typedef integer_sequence<int> type; };
template <int... I> int weigh(device const int *p, integer_sequence<int, I...>) { return (0 + ... + (p[I] * (I + 1))); }
template <typename T, int N, int... I> array<T, N> fill_from(device const T *p, integer_sequence<int, I...>) { return array<T, N>{p[I]...}; }
template <typename... T> struct tup;
template <> struct tup<> {};
template <typename H, typename... T> struct tup<H, T...> { H h; tup<T...> t; tup(H a, T... b) : h(a), t(b...) {} tup() {} };
template <int I> struct getter { template <typename H, typename... T> static auto get(tup<H, T...> x) { return getter<I - 1>::get(x.t); } };
template <> struct getter<0> { template <typename H, typename... T> static H get(tup<H, T...> x) { return x.h; } };
template <typename... T> tup<T...> make_tup(T... x) { return tup<T...>(x...); }
template <typename T> T pick(T x, true_type) { return x; }
template <typename T> T pick(T x, false_type) { return -x; }
// run k 0=int[3 4 5] 1=int*13 -> 1=int[1 23 1 1 0 26 5 7 5 -4 5 5 2]
kernel void k(device const int *p, device int *o) {
  o[0] = (Big<2>(0xffffffff) + Big<2>(1)).l[1]; Fn<M> f{{3}}; o[1] = f(4, 5); o[2] = is_big<Big<3>>::value; o[3] = all_int<int, uint, char>::value; o[4] = all_int<int, float>::value;
  o[5] = weigh(p, make_seq<3>::type{}); o[6] = fill_from<int, 3>(p, make_seq<3>::type{})[2]; auto t = make_tup(1, 2.5f, 7u); o[7] = getter<2>::get(t); o[8] = getter<1>::get(t) * 2; o[9] = pick(4, is_signed<uint>{});
  o[10] = make_seq<5>::type::size; constexpr auto c = integral_constant<int, 4>{}; int arr[c]; arr[3] = c + 1; o[11] = arr[3]; if constexpr (is_same_v<decltype(c.value), int>) o[12] = 1; else o[12] = 2;
}
