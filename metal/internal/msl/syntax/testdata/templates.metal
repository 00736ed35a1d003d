#include <metal_stdlib>
using namespace metal;

template <typename T> struct Traits;
template <> struct Traits<float> { using acc = float; static constexpr constant bool ok = true; };
template <> struct Traits<half> { typedef float acc; };
template <typename T> struct Traits<vec<T, 2>> { using acc = vec<T, 2>; };
template <typename T> using acc_t = typename Traits<T>::acc;
template <typename T> constant constexpr bool is_small = sizeof(T) < 4;
template <typename T, int N = 4, bool B = (N > 2), typename U = T> struct Tile {
  static constexpr constant int size = N;
  T data[N];
  template <typename V> V load(int i) const { return V(data[i]); }
  Tile<T, N> self() { Tile t; Tile<T, 2> u; return t; }
  T sum() { T s = T(0); for (int i = 0; i < N; i++) s += data[i]; return s; }
};
struct Add { template <typename T> T operator()(T a, T b) { return a + b; } template <typename T> static constexpr T init() { return T(0); } };
template <typename T, typename Op, enable_if_t<is_same_v<T, float> || is_same_v<T, half>, int> = 0>
T reduce(const device T *x, uint n, Op op = Op()) {
  T total = Op::template init<T>();
  typename Traits<T>::acc wide = typename Traits<T>::acc(total);
  Tile<T, 4> tile; Tile<Tile<T, 2>, (4 > 2)> nested; const Tile<T> all[2] = {};
  total += tile.template load<T>(0) + tile.load<T>(1);
  if (tile.size < n && n > (2)) total = T(1);
  if constexpr (is_same_v<T, half>) { total = T{}; } else if constexpr (Tile<T>::size > 2) { total += T(wide); }
  for (uint i = 0; i < n; i++) total = op(total, x[i]);
  auto b = Traits<T>::ok < 3, c = Traits<T>::ok * 2;
  vec<T, 4> v = vec<T, 4>(1), w = {x[0], x[1], x[2], x[3]};
  array<T, Tile<T, 3>::size> arr = {{1}};
  int k = int(v.x < w.x) + int(arr[0] > T(3)), l = is_small<T> + (n < 4), m = n >> 2;
  float f = as_type<float>(k) + metal::as_type<float>(m) + numeric_limits<float>::max() - metal::numeric_limits<T>::infinity();
  if (Tile<T, (1 << 2)>::size >= 4 && n < 2 || n > 3) return select(T(1), T(2), bool(b));
  using V = vec<T, 2>; V p(x[0]), q{x[1], x[2]};
  using std_t = decltype(x[0] + x[1]);
  auto g = static_cast<vec<T, 2>>(p) + reinterpret_cast<const thread V &>(q);
  for (thread T &e : tile.data) e = T(f);
  return total + decltype(total)(1) + T(c) + g.x + l;
}
template <typename T, typename Op> [[kernel]] void reduce_kernel(device T *out, const device T *in, constant uint &n, uint i [[thread_position_in_grid]]) {
  out[i] = reduce<T, Op>(in, n);
}
template [[host_name("reduce_float")]] [[kernel]] void reduce_kernel<float, Add>(device float *, const device float *, constant uint &, uint);
template [[host_name("reduce_" "half")]] [[kernel]] decltype(reduce_kernel<half, Add>) reduce_kernel<half, Add>;
typedef decltype(reduce_kernel<float, Add>) reduce_t;
template [[host_name("again")]] kernel reduce_t reduce_kernel<bfloat, Add>;
template <typename T> kernel void plain(device T *x) { x[0] = 1; }
template kernel void plain(device int *);
template <> kernel void plain<uint>(device uint *x) { x[0] = 2; }
template struct Tile<float>;
#define instantiate(name, type) template [[host_name(#name "_" #type)]] [[kernel]] void plain<type>(device type *x);
#define instantiate_all(name) instantiate(name, float) instantiate(name, half) instantiate(name, uchar)
instantiate_all(plain)
template <template <typename, int> class F, typename... Ts> struct Wrap { F<int, 2> f; void go(Ts... xs) { call(xs...); } };
template <typename T, typename metal::enable_if<is_integral<T>::value>::type = 0> void old(T) {}
template <typename T> void Tile_free(Tile<Tile<Tile<T, 1>, 2>, 3> x, T y = T()) { Tile<Tile<T, 1>> z; (void)z; (Tile<T>)x; int i = (y < 1) > 2; }
template <int N> struct Fact { static constexpr constant int value = N * Fact<N - 1>::value; };
template <> struct Fact<0> { static constexpr constant int value = 1; };
constant float rows[Fact<3>::value] = {0};
