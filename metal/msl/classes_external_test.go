package msl_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"gamma/metal/internal/reference"
	"gamma/metal/msl"
)

// class is one way in which public shaders use the language: a source of ours, and what comes of it. An accepted source says in its
// comments what its kernels give, on every engine; of a refused one, err says the place and what is wrong. bad is what is wrong with the kernel
// called bad, which alone cannot be had.
type class struct{ name, src, err, bad string }

const head = "#include <metal_stdlib>\nusing namespace metal;\n"

// TestClasses holds the front end to a table of classes.
func TestClasses(t *testing.T) {
	for n, list := range [][]class{noUsing, variadic, constants, names, calls, types, functions, members, recursive} {
		for i, c := range list {
			t.Run(fmt.Sprintf("%s %d", c.name, i), func(t *testing.T) {
				src := c.src
				if n > 0 {
					src = head + src
				}
				lib, err := msl.Compile(src, msl.Options{FileName: "c.metal"})
				if c.err != "" {
					require.ErrorContains(t, err, "c.metal:"+c.err)
					return
				}
				require.NoError(t, err)
				runs := runLines(t, "c.metal", c.src)
				require.NotEmpty(t, runs)
				if c.bad != "" {
					_, err := lib.Kernel("bad", nil)
					require.ErrorContains(t, err, "c.metal:"+c.bad)
				}
				for _, r := range runs {
					r.everywhere(t, lib)
				}
			})
		}
	}
}

var variadic = []class{
	{name: "sums of a pack, by recursion and by folds", src: `
template <typename T> T total(T x) { return x; }
template <typename T, typename... U> auto total(T x, U... u) { return x + total(u...); }
template <typename... T> auto left(T... x) { return (... - x); }
template <typename... T> auto right(T... x) { return (x - ...); }
template <typename... T> auto from(int a, T... x) { return (a - ... - x); }
template <typename... T> auto to(int a, T... x) { return (x - ... - a); }
template <typename... T> bool all_of(T... x) { return (... && (x > 0)); }
// run k 0=int*8 -> 0=int[6 2 -8 3 -6 4 0 1]
kernel void k(device int *o) {
	o[0] = total(1, 2, 3); o[1] = total(2);
	o[2] = left(1, 4, 5); o[3] = right(1, 2, 4); o[4] = from(1, 2, 5); o[5] = to(5, 1, 2);
	o[6] = all_of(1, 0, 2); o[7] = all_of();
}`},
	{name: "counts, lists and calls", src: `
template <typename... T> constexpr int count(T... x) { return sizeof...(T) * 10 + sizeof...(x); }
template <typename... T> int last(T... x) { int a[] = {x...}; return a[sizeof...(x) - 1]; }
template <typename... T> int twice(T... x) { return last(0, (x * 2)...); }
struct P { int a, b; P(int x, int y) : a(x), b(y) {} };
template <typename... T> P pair_of(T... x) { return P(x...); }
template <typename... T> P pair_in_braces(T... x) { return P{(x + 1)...}; }
// run k 0=int*6 -> 0=int[0 33 9 18 7 13]
kernel void k(device int *o) {
	o[0] = count(); o[1] = count(1, 2.0f, half(3)); o[2] = last(4, 9); o[3] = twice(1, 9);
	o[4] = pair_of(3, 4).a + pair_of(3, 4).b; o[5] = pair_in_braces(5, 6).a + pair_in_braces(5, 6).b;
}`},
	{name: "class templates", src: `
template <typename... T> struct list { static constexpr constant int size = sizeof...(T); };
template <typename T, typename... R> struct first { typedef T type; };
template <typename... T> struct bytes;
template <> struct bytes<> { static constexpr constant int value = 0; };
template <typename T, typename... R> struct bytes<T, R...> { static constexpr constant int value = sizeof(T) + bytes<R...>::value; };
template <typename L> struct length;
template <typename... T> struct length<list<T...>> { static constexpr constant int value = sizeof...(T); };
template <typename... T> using rest = list<int, T..., float>;
template <typename... T> int deduced(list<T...>) { return sizeof...(T) + 10; }
template <int... N> struct seq {};
template <int... N> int sum(seq<N...>) { return (0 + ... + N); }
template <typename... A, typename... B> int both(list<A...>, list<B...>) { return 10 * sizeof...(A) + sizeof...(B); }
template <typename... T> struct holder { template <typename... U> static int apply(U... u) { return (0 + ... + (T(u) * 1)); } };
// run k 0=int*9 -> 0=int[2 4 7 2 3 12 6 21 5]
kernel void k(device int *o) {
	o[0] = list<int, float>::size; first<int, half, float>::type x = 4; o[1] = x;
	o[2] = bytes<int, half, char>::value; o[3] = length<list<int, int>>::value; o[4] = length<rest<half>>::value;
	o[5] = deduced(list<int, half>{}); o[6] = sum(seq<1, 2, 3>{}); o[7] = both(list<int, int>{}, list<half>{});
	o[8] = holder<int, uint>::apply(2.5f, 3.5f);
}`},
	{name: "void_t and explicit arguments", src: `
template <typename... T> struct make_void { typedef void type; };
template <typename... T> using void_t = typename make_void<T...>::type;
template <typename T, typename = void> struct has_type : false_type {};
template <typename T> struct has_type<T, void_t<typename T::type>> : true_type {};
struct A { typedef int type; };
struct B {};
template <typename R, typename... T> R cast_sum(T... x) { return R(0) + (R(0) + ... + R(x)); }
template <typename... T> int widths(device T *...p) { return (0 + ... + int(sizeof(*p))); }
template <typename... T> struct which { static constexpr constant int value = 1; };
template <typename T> struct which<T> { static constexpr constant int value = 2; };
template <typename T, typename U> struct which<T, U> { static constexpr constant int value = 3; };
template <typename T, typename U = float, int N = sizeof(U)> struct part { static constexpr constant int value = 1; };
template <typename T> struct part<vec<T, 2>> { static constexpr constant int value = 2; };
// run k 0=int*11 1=float*1 2=half*1 -> 0=int[1 0 3 2 6 1 2 3 1 2 1]
kernel void k(device int *o, device float *f, device half *h) {
	o[5] = which<int, int, int>::value; o[6] = which<int>::value; o[7] = which<int, half>::value; o[8] = which<>::value;
	o[9] = part<int2>::value; o[10] = part<int2, half>::value;
	o[0] = has_type<A>::value; o[1] = has_type<B>::value; o[2] = cast_sum<int>(1.5f, 2.5h); o[3] = cast_sum<int, uint>(2.5f);
	o[4] = widths(f, h);
}`},
	{name: "deep recursion of templates", src: `
template <int... I> struct seq {};
template <int N, int... I> struct make : make<N - 1, N - 1, I...> {};
template <int... I> struct make<0, I...> { typedef seq<I...> type; };
template <int... I> int sum(seq<I...>) { return (0 + ... + I); }
// run k 0=int*1 -> 0=int[19900]
kernel void k(device int *o) { o[0] = sum(make<200>::type{}); }`},
	{name: "a pack that is not expanded", src: "template <typename... T> int f(T... x) { return x; }\nkernel void k(device int *o) { o[0] = f(1); }", err: "3:49: error: x is a pack: write ... after what uses it"},
	{name: "packs of two lengths", src: "template <typename... T> struct L {};\ntemplate <typename... A, typename... B> int f(L<A...>, L<B...>) { return (0 + ... + (A(1) * B(1))); }\nkernel void k(device int *o) { o[0] = f(L<int>{}, L<int, int>{}); }", err: "4:74: error: packs of different lengths are expanded together"},
	{name: "no pack", src: "int f(int x) { return x; }\nkernel void k(device int *o) { o[0] = f(o[1]...); }", err: "4:45: error: there is no pack before this ..."},
	{name: "an empty fold", src: "template <typename... T> int f(T... x) { return (... + x); }\nkernel void k(device int *o) { o[0] = f(); }", err: "3:49: error: the pack of this fold expression is empty"},
	{name: "a pack before others", src: "template <typename... T, typename U> struct S {};\n", err: "3:23: error: the pack T of S is its last parameter"},
}

var constants = []class{
	{name: "integral constants", src: `
template <typename P> int at(P p) { return p.value; }
template <int N> using Int = integral_constant<int, N>;
template <typename T, T V> T twice(integral_constant<T, V>) { return V * 2; }
template <typename T, T a, typename U, U b> constexpr auto operator+(integral_constant<T, a>, integral_constant<U, b>) { constexpr auto r = a + b; return integral_constant<decltype(r), r>{}; }
int tag(true_type) { return 1; }
int tag(false_type) { return 2; }
template <typename T> struct is_number : bool_constant<is_integral_v<T> || is_floating_point<T>::value> {};
constant true_type yes = {};
// run k 0=int*10 -> 0=int[10 14 3 4 1 2 1 0 5 8]
kernel void k(device int *o) {
	integral_constant<int, 3> c;
	o[0] = c.value + at(c) + at(integral_constant<int, 4>{}); o[1] = twice(Int<7>{}); o[2] = c(); o[3] = c + 1;
	o[4] = tag(is_same<int, int>{}); o[5] = tag(is_same<int, uint>()); o[6] = is_number<half>::value; o[7] = is_number<int2>{};
	o[8] = yes ? 5 : 6; o[9] = (Int<3>{} + Int<5>{}).value;
}`},
	{name: "traits of empty classes, bases, constness", src: `
struct E {};
struct D : E {};
struct F : E { int a; };
union U { int a; };
template <typename T> struct is_tag : bool_constant<__is_empty(T)> {};
// run k 0=int*12 -> 0=int[1 1 0 0 0 1 0 1 0 1 1 0]
kernel void k(device int *o) {
	o[0] = is_tag<E>::value; o[1] = is_tag<D>::value; o[2] = is_tag<F>::value; o[3] = is_tag<int>::value; o[4] = is_tag<U>::value;
	o[5] = is_base_of<E, F>::value; o[6] = is_base_of_v<F, E>; o[7] = is_const_v<const int>; o[8] = is_const_v<int>;
	o[9] = is_same_v<remove_cv_t<const int>, int>; o[10] = is_convertible_v<D, E>; o[11] = is_convertible_v<E, D>;
}`},
	{name: "traits that a source specialises", src: `
struct Fixed { int v; };
namespace metal {
template <> struct is_integral<Fixed> : true_type {};
template <typename T, T V> struct is_integral<integral_constant<T, V>> : true_type {};
template <typename T> struct is_static : bool_constant<__is_empty(T)> {};
template <> struct _numeric_limits_impl<Fixed> : _fp_numeric_limits_impl_base { static constexpr Fixed max() { return {99}; } };
}
template <typename T> struct boxed { T v; };
template <typename T> struct _numeric_limits_impl<boxed<T>> { static constexpr boxed<T> lowest() { return boxed<T>{numeric_limits<T>::lowest()}; } };
template <typename T> struct _make_scalar_impl<boxed<T>> { typedef boxed<make_scalar_t<T>> type; };
template <typename T, typename = enable_if_t<_disjunction<is_same<T, int>, is_same<T, short>>::value>> int pick(T) { return 1; }
template <typename T, typename = enable_if_t<!_disjunction<is_same<T, int>, is_same<T, short>>::value>> long pick(T) { return 2; }
// run k 0=int*10 -> 0=int[1 1 0 99 1 -128 1 2 1 4]
kernel void k(device int *o) {
	o[0] = is_integral_v<Fixed>; o[1] = is_integral<integral_constant<short, 3>>::value; o[2] = is_integral_v<float>;
	o[3] = numeric_limits<Fixed>::max().v; o[4] = numeric_limits<Fixed>::is_specialized; o[5] = numeric_limits<boxed<char>>::lowest().v;
	o[6] = pick(1); o[7] = pick(1.0f); o[8] = is_same_v<make_scalar_t<boxed<float4>>, boxed<float>> && conjunction_v<is_same<int, int>, negation<is_same<int, uint>>>;
	o[9] = vec_elements<half4>::value;
}`},
	{name: "a trait that is none", src: "kernel void k(device int *o) { o[0] = __is_green(int); }", err: "3:39: error: __is_green is no question about types that is known"},
	{name: "a disjunction of no traits", src: "kernel void k(device int *o) { o[0] = conjunction<int>::value; }", err: "3:39: error: int is not a class (in metal::conjunction<int>)"},
	{name: "a trait of two types", src: "kernel void k(device int *o) { o[0] = __is_same(int); }", err: "3:39: error: __is_same asks about 2 types, not 1"},
}

var names = []class{
	{name: "names within decltype", src: `
struct Tile { enum { N = 4 }; static constexpr constant short count = 3; typedef half elem; static int f(int x) { return x + 1; } float v[4]; };
template <typename T> int sum(T t) {
	int s = 0;
	for (short j = 0; j < decltype(t)::count; j++) s += t.v[j];
	typename decltype(t)::elem e = s;
	return decltype(t)::f(int(e)) + (decltype(t)::N) * 2 + int(sizeof(typename decltype(t)::elem));
}
// run k 0=int*2 -> 0=int[17 3]
kernel void k(device int *o) {
	Tile t;
	for (short j = 0; j < decltype(t)::N; j++) t.v[j] = j + 1;
	o[0] = sum(t);
	constexpr int n = decltype(t)::count;
	o[1] = n;
}`},
	{name: "no such name within decltype", src: "struct T {};\nkernel void k(device int *o) { T t; o[0] = decltype(t)::n; }", err: "4:44: error: T has no member n"},
	{name: "decltype of a number has no names", src: "kernel void k(device int *o) { int t; o[0] = decltype(t)::n; }", err: "3:46: error: int has no members"},
	{name: "casts as template arguments", src: `
template <bool B> int pick(int x) { return B ? x : -x; }
template <int N> int num() { return N; }
template <typename T, int N> struct A { T v[N]; };
// run k 0=int*4 -> 0=int[5 3 -5 8]
kernel void k(device int *o) {
	o[0] = pick<(bool)1>(5); o[1] = num<(int)3.7f>(); o[2] = pick<(bool)(1 - 1)>(5); o[3] = sizeof(A<int, (uint)2>);
}`},
	{name: "constructors with arguments", src: `
template <typename T> struct Pair { T a; T b; constexpr Pair<T>() thread = default; Pair<T>(T x, T y) : a(x), b(y) {} Pair<T>(T x) : Pair<T>(x, x) {} };
template <typename T, typename = void> struct Q;
template <typename T> struct Q<T, enable_if_t<is_scalar_v<T>>> { T v; Q<T>(T x) : v(x + 1) {} };
// run k 0=float*3 -> 0=float[3 10 4]
kernel void k(device float *o) { Pair<float> p(1, 2), q(5), r; o[0] = p.a + p.b; o[1] = q.a + q.b; o[2] = Q<float>(3).v; }`},
}

var calls = []class{
	{name: "functions of Apple's headers", src: `
namespace metal {
METAL_FUNC bfloat exp2(bfloat x) { return bfloat(__metal_exp2(float(x), __METAL_MAYBE_FAST_MATH__)); }
METAL_FUNC bfloat floor(bfloat x) { return bfloat(__metal_floor(float(x), __METAL_MAYBE_FAST_MATH__)); }
METAL_FUNC bfloat fma(bfloat x, bfloat y, bfloat z) { return bfloat(__metal_fma(float(x), float(y), float(z))); }
METAL_FUNC bfloat frexp(bfloat x, thread int &e) { return bfloat(__metal_frexp(float(x), &e)); }
METAL_FUNC bfloat simd_max(bfloat x) { return bfloat(__metal_simd_max(float(x))); }
METAL_FUNC bfloat simd_xor(bfloat x) { return bfloat(__metal_simd_xor(float(x))); }
METAL_FUNC bfloat simd_shuffle_and_fill_up(bfloat x, bfloat f, ushort d) {
	return as_type<bfloat>(__metal_simd_shuffle_and_fill_up(as_type<ushort>(x), as_type<ushort>(f), d, __metal_get_simdgroup_size(ushort())));
}
namespace fast { METAL_FUNC bfloat exp2(bfloat x) { return bfloat(__metal_exp2(float(x), __METAL_FAST_MATH__)); } }
namespace precise { METAL_FUNC bfloat exp2(bfloat x) { return bfloat(__metal_exp2(float(x), __METAL_PRECISE_MATH__)); } }
}
// run k threads=4 width=4 0=bfloat*8 1=bfloat*4 2=int*1 -> 0=bfloat[16 22 32 0.5 8 8 0 0] 1=bfloat[9 0 1 2] 2=int[3]
kernel void k(device bfloat *o, device bfloat *s, device int *n, uint i [[thread_position_in_grid]]) {
	int e;
	bfloat x = bfloat(i), up = simd_shuffle_and_fill_up(x, bfloat(9), ushort(1)), most = simd_max(x);
	s[i] = up;
	if (most == x) {
		o[0] = exp2(bfloat(4)); o[1] = floor(bfloat(22.5f)); o[2] = fma(x, bfloat(10), bfloat(2)); o[3] = frexp(bfloat(4), e);
		o[4] = fast::exp2(x); o[5] = precise::exp2(x);
		n[0] = e;
	}
}
kernel void bad(device bfloat *o) { o[0] = simd_xor(o[0]); }`, bad: "10:54: error: function __metal_simd_xor of float has no body"},
	{name: "argument-dependent lookup in metal", src: `
namespace other { struct S { int v; }; int get(S s) { return s.v; } }
// run k groups=2 threads=2 0=uint*4 1=uint[5] -> 0=uint[1 2 3 4] 1=uint[9]
kernel void k(device uint *o, device metal::atomic_uint *sum, uint i [[thread_position_in_grid]]) {
	threadgroup_barrier(metal::mem_flags::mem_threadgroup);
	atomic_fetch_add_explicit(sum, 1u, metal::memory_order_relaxed);
	o[i] = i + get(other::S{1});
}`},
}

// noUsing are sources that do not open namespace metal.
var noUsing = []class{
	{name: "argument-dependent lookup in metal", src: `#include <metal_stdlib>
// run k groups=2 threads=2 0=uint*4 1=uint[5] -> 0=uint[0 1 2 3] 1=uint[9]
kernel void k(device uint *o, device metal::atomic_uint *sum, uint i [[thread_position_in_grid]]) {
	threadgroup_barrier(metal::mem_flags::mem_threadgroup);
	atomic_fetch_add_explicit(sum, 1u, metal::memory_order_relaxed);
	o[i] = INFINITY > 3 ? i : 7;
}`},
	{name: "numbers are not of metal", src: "#include <metal_stdlib>\nkernel void k(device float *o) { o[0] = sin(o[1]); }", err: "2:41: error: sin is not declared here: write metal::sin"},
	{name: "traits are of metal", src: "#include <metal_stdlib>\nkernel void k(device float *o) { o[0] = is_same<int, int>::value; }", err: "2:41: error: is_same<…>::value is not declared here: write metal::is_same"},
}

// TestLimitsAreOptions: what a source may ask for by default, and with the options.
func TestLimitsAreOptions(t *testing.T) {
	var s strings.Builder
	s.WriteString("template <int A> uint f(uint x) { return x + A; }\nkernel void k(device uint *o) { uint x = o[0]; ")
	for i := range 5000 {
		fmt.Fprintf(&s, "x = f<%d>(x); ", i)
	}
	s.WriteString("o[0] = x; }\n// run k 0=uint[7] -> 0=uint[12497507]\n")
	lib, err := msl.Compile(s.String(), msl.Options{})
	require.NoError(t, err)
	runLines(t, "c.metal", s.String())[0].everywhere(t, lib)
	_, err = msl.Compile(s.String(), msl.Options{MaxInstances: 4999, FileName: "c.metal"})
	require.ErrorContains(t, err, "error: f: this source instantiates more than 4999 templates: raise the option MaxInstances")
	lib, err = msl.Compile(s.String(), msl.Options{MaxInstructions: 4999, FileName: "c.metal"})
	require.NoError(t, err)
	_, err = lib.Kernel("k", nil)
	require.ErrorContains(t, err, "becomes more than 4999 instructions with its calls inlined: make its functions or its tables smaller, or raise the option MaxInstructions")
	_, err = msl.Compile("", msl.Options{MaxInstructions: -1})
	require.ErrorContains(t, err, "the limits of the options are negative")

	s.Reset()
	s.WriteString("uint f0(uint x) { return (x * 3 + 1) ^ (x >> 7); }\n")
	for i := range 16 {
		fmt.Fprintf(&s, "uint f%d(uint x) { return f%d(f%d(x)); }\n", i+1, i, i)
	}
	s.WriteString("kernel void k(device uint *o) { o[0] = f16(o[0]); }\n")
	want := uint32(12345)
	for range 1 << 16 {
		want = (want*3 + 1) ^ want>>7
	}
	fmt.Fprintf(&s, "// run k 0=uint[12345] -> 0=uint[%d]\n", want)
	lib, err = msl.Compile(s.String(), msl.Options{})
	require.NoError(t, err)
	r := runLines(t, "c.metal", s.String())[0]
	k, err := lib.Kernel("k", nil)
	require.NoError(t, err)
	args := r.args(k)
	require.NoError(t, reference.Run(k, reference.Launch{Groups: r.groups, Threads: r.threads, Args: args}))
	require.Equal(t, show(r.want[0]), show(args[0]))
}

var types = []class{
	{name: "vectors of one", src: `
template <typename T, int N> struct chunk { vec<T, N> v; };
template <typename T, int N> T sum(vec<T, N> v) { T s = 0; for (int i = 0; i < N; i++) { s += v[i]; } return s; }
float half_of(float x) { return x / 2; }
// run k 0=float*12 1=float[8 9] -> 0=float[2 4 5 2.5 1 3 7 4 1 3 20 5] 1=float[8 10]
kernel void k(device float *o, device vec<float, 1> *in) {
	vec<float, 1> v = 2.0f, w(3.0f), z{4.0f};
	o[0] = v.x; o[1] = sum(z); o[2] = v + w; o[3] = half_of(v + 3); o[4] = v < w; v += 1.0f; o[5] = v;
	vec<int, 1> n = vec<int, 1>(7.5f); o[6] = n[0]; o[7] = sqrt(in[0] + in[0]); chunk<half, 1> c; c.v = half(3); o[8] = !(c.v == half(2)) && c.v ? 1 : 2;
	o[9] = float2(c.v, 1).x; o[10] = max(v, w) + (-(-in[0])) + sum(float2(in[1])) / 2; in[1] = in[1] + 1; o[11] = sizeof(chunk<char, 1>) + sizeof(vec<float, 1>);
}`},
	{name: "vectors of five", src: "kernel void k(device float *o) { vec<float, 5> v; }", err: "3:34: error: vec<float, 5>: a vector has 1 to 4 elements"},
	{name: "a vector of one is none of two", src: "kernel void k(device float *o) { vec<float, 1> v = 1; float2 w = v; }", err: "3:66: error: the initialiser of w: vec<float, 1> cannot be converted to float2"},
}

var functions = []class{
	{name: "functions as template values", src: `
void twice(device const float *p, thread float &r) { r = 2 * p[0]; }
void twice(device const float *p, thread int &r) { r = 7; }
template <typename T> void thrice(device const T *p, thread float &r) { r = 3 * p[0]; }
struct S { static void half_of(device const float *p, thread float &r) { r = p[0] / 2; } };
typedef void (*op_t)(device const float *, thread float &);
template <void (*F)(device const float *, thread float &)> float once(device const float *p) { float r; F(p, r); return r; }
template <op_t F, int N> struct repeat { static float apply(device const float *p) { float s = 0; for (int i = 0; i < N; i++) { float r; (*F)(p, r); s += r; } return s; } };
template <float (&G)(device const float *)> float plus(device const float *p) { return G(p) + 1; }
template <typename B, short nl, void (*dequantize)(device const B *, short, thread float &)> kernel void get(device const B *a [[buffer(0)]], device float *o [[buffer(1)]], uint i [[thread_position_in_grid]]) {
	float r;
	dequantize(a + i / nl, i % nl, r);
	o[i] = r;
}
struct block { half d; uchar q[2]; };
void dequantize_block(device const block *b, short il, thread float &r) { r = b->d * b->q[il]; }
template <typename T> void dequantize_plain(device const T *b, short il, thread float &r) { r = b[il]; }
typedef decltype(get<block, 2, dequantize_block>) get_t;
template [[host_name("get_block")]] kernel get_t get<block, 2, dequantize_block>;
template [[host_name("get_float")]] kernel void get<float, 1, dequantize_plain<float>>(device const float *, device float *, uint);
// run k 0=float[6] 1=float*5 -> 1=float[12 18 3 36 13]
// run get_block threads=4 0=half[0.5]uchar[4 6]half[2]uchar[1 3] 1=float*4 -> 1=float[2 3 2 6]
// run get_float threads=2 0=float[4 5] 1=float*2 -> 1=float[4 5]
kernel void k(device const float *a, device float *o) {
	o[0] = once<twice>(a); o[1] = once<&thrice<float>>(a); o[2] = once<S::half_of>(a); o[3] = repeat<twice, 3>::apply(a); o[4] = plus<once<twice>>(a);
}`},
	{name: "types of functions", src: `
typedef void (fill_t)(device float *o [[buffer(0)]], uint i [[thread_position_in_grid]]);
using fill2_t = void(device float *, uint);
template <typename T> kernel void fill(device float *o [[buffer(0)]], uint i [[thread_position_in_grid]]) { o[i] = float(T(i) + T(0.1h)); }
template <typename T> kernel void fill(device float *o [[buffer(0)]], device T *p, uint i [[thread_position_in_grid]]) { o[i] = p[i]; }
template [[host_name("fill_int")]] kernel fill_t fill<int>;
template [[host_name("fill_uint")]] kernel fill2_t fill<uint>;
// run fill_int threads=2 0=float[7 7] -> 0=float[0 1]
// run fill_uint threads=2 0=float[7 7] -> 0=float[0 1]
kernel void k(device float *o) {}`},
	{name: "no function of that type", src: "void f(int x) {}\ntemplate <void (*F)(float)> void g() { F(1); }\nkernel void k(device int *o) { g<f>(); }", err: "5:32: error: g<…>() does not fit template g() at c.metal:4:34: no f is a function of type void(float); candidates: f(int) at"},
	{name: "a number is no function", src: "template <void (*F)(float)> struct g {};\nkernel void k(device int *o) { g<3> x; }", err: "4:32: error: the template argument F of g is the name of a function of type void(float)"},
	{name: "an instantiation of another type", src: "typedef void (t)(device int *o);\ntemplate <typename T> kernel void f(device T *o) {}\ntemplate [[host_name(\"x\")]] kernel t f<float>;", err: "5:38: error: no template f takes these arguments (its type is not void(device int*)"},
	{name: "functions as values", src: "int f(int x) { return x; }\nkernel void k(device int *o) { int (*p)(int) = f; o[0] = p(1); }", err: "4:38: error: not supported: function pointers; give the function to a template"},
	{name: "functions as parameters", src: "int f(int (*p)(int)) { return p(1); }", err: "3:13: error: not supported: function pointers"},
	{name: "functions of the library as template values", src: "template <float (*F)(float)> float g(float x) { return F(x); }\nkernel void k(device float *o) { o[0] = g<sin>(1); }", err: "4:43: error: not supported: functions of the library as template arguments; write a function that calls sin"},
	{name: "alias templates in deduction", src: `
template <typename T> struct Frag {
	template <typename U> using lanes = vec<U, 2>;
	template <typename A> static float total(thread lanes<A> &v) { return float(v.x) + float(v.y); }
	template <typename A> static int bits(lanes<A> v) { return sizeof(A) * 8; }
};
template <typename T, int N> struct tile { T v[N]; };
template <int N> using floats = tile<float, N>;
template <typename T> using in = device const T *;
template <int N> int size_of(floats<N> t) { return N; }
template <typename T> T first(in<T> p) { return p[0]; }
template <typename T> using id = T;
template <typename T> T same_as(id<T> x) { return x + 1; }
// run k 0=float[3] 1=float*5 -> 1=float[8 16 4 3 6]
kernel void k(device const float *a, device float *o) {
	float2 v = float2(5, 3);
	o[0] = Frag<float>::total(v); o[1] = Frag<float>::bits(half2(1)); o[2] = size_of(tile<float, 4>{}); o[3] = first(a); o[4] = same_as(5);
}`},
	{name: "an alias template that does not fit", src: "template <typename U> using two = vec<U, 2>;\ntemplate <typename A> int f(two<A> v) { return 1; }\nkernel void k(device int *o) { o[0] = f(float3(1)); }", err: "5:39: error: f(float3) does not fit template f(two<A>) at c.metal:4:27: argument 1: float3 does not have the form of the parameter"},
}

var members = []class{
	{name: "conversion operators by name", src: `
struct F8 {
	uchar b;
	operator half() const { return half(b) + 1; }
	operator float() const { return float(this->operator half()) * 2; }
	operator int() const { return int(operator float()) + 5; }
	template <typename T> operator vec<T, 2>() const { return vec<T, 2>(b, b); }
};
struct G : F8 {};
// run k threads=3 0=float*3 1=int*3 -> 0=float[2 4 6] 1=int[8 12 16]
kernel void k(device float *o, device int *n, uint i [[thread_position_in_grid]]) {
	F8 f{uchar(i)}; G g; g.b = f.b;
	o[i] = f.operator float();
	n[i] = g.operator int() + g.F8::operator half() + (&f)->operator vec<int, 2>().x;
}`},
	{name: "no such conversion", src: "struct S { operator int() const { return 1; } };\nkernel void k(device int *o) { S s; o[0] = s.operator float(); }", err: "4:45: error: S has no conversion operator to float"},
	{name: "members specialised outside", src: `
template <typename T> struct Reader { T v; float load() const { return float(v); } static constexpr constant int kind = 1; Reader(T x) : v(x) {} operator int() const { return 1; } static int id() { return 0; } };
template <> float Reader<half>::load() const { return float(v) * 2.0f; }
template <> constexpr constant int Reader<half>::kind = 2;
template <> Reader<half>::Reader(half x) : v(x + 1) {}
template <> Reader<half>::operator int() const { return 5; }
template <> int Reader<half>::id() { return 8; }
// run k 0=float*8 -> 0=float[4 3 2 1 5 1 8 0]
kernel void k(device float *o) {
	Reader<half> r{half(1)}; Reader<int> s{3};
	o[0] = r.load(); o[1] = s.load(); o[2] = Reader<half>::kind; o[3] = Reader<int>::kind; o[4] = int(r); o[5] = int(s); o[6] = r.id(); o[7] = s.id();
}`},
	{name: "a member that is not there", src: "template <typename T> struct R { int f() { return 1; } };\ntemplate <> int R<int>::g() { return 2; }", err: "4:17: error: R<int> has no method R<int>::g() thread"},
	{name: "a member specialised after its use", src: "template <typename T> struct R { int f() { return 1; } };\nint u() { R<int> r; return r.f(); }\ntemplate <> int R<int>::f() { return 2; }", err: "5:17: error: R<int>::f is specialised after it was used or defined at"},
	{name: "default initialisers that use members", src: `
template <int D> struct Steps { constant const uint *d; Steps<D - 1> next{d}; uint at(uint i) const { return d[D - 1] * i + next.at(i); } };
template <> struct Steps<0> { constant const uint *d; uint at(uint i) const { return i; } };
struct Box { int a; int b = a * 2; int c = this->b + twice(a); int arr[2] = {a, b}; constexpr int twice(int x) const { return 2 * x; } };
struct Outer { int a = 5; Box inner() const { return Box{a + 1}; } };
constexpr int known() { return Box{4}.c; }
// run k threads=2 0=uint[3 5] 1=uint*2 2=int*8 -> 1=uint[0 9] 2=int[3 6 12 6 24 7 14 16]
kernel void k(constant uint *d, device uint *o, device int *n, uint i [[thread_position_in_grid]]) {
	Steps<2> s{d};
	o[i] = s.at(i);
	Box b{3}, e{7, 14}, z{1, 1, 1};
	constexpr int c = known();
	n[0] = b.a; n[1] = b.b; n[2] = b.c; n[3] = b.arr[0] + b.arr[1] - 3; n[4] = Outer().inner().c; n[5] = e.a; n[6] = e.b; n[7] = c + z.c - 1;
}`},
	{name: "members that are references", src: `
struct Dims { constant const uint &n; constant const uint *d; };
struct Sum { thread uint &s; device uint *o; Sum(thread uint &x, device uint *p) : s(x), o(p) {} void add(uint v) { s += v; } };
struct Pair { thread uint &a, &b; thread uint &first = a; void swap() { uint t = a; a = b; b = t; first++; } };
uint total(Dims x, uint i) { return x.n + x.d[i]; }
// run k threads=2 0=uint[10] 1=uint[1 2] 2=uint*2 3=uint*2 -> 2=uint[11 12] 3=uint[26 1]
kernel void k(constant uint &n, constant uint *d, device uint *o, device uint *p, uint i [[thread_position_in_grid]]) {
	Dims x{n, d}; o[i] = total(x, i);
	uint s = 3, t = 0;
	Sum sum(s, p);
	sum.add(20); sum.s++;
	Pair pair{s, t}; pair.swap();
	sum.add(1);
	if (i == 0) { p[0] = s + t; p[1] = s - 1; }
}`},
	{name: "copy constructors by address space", src: `
struct V {
	int v;
	V() thread = default; V() threadgroup = default; V(int x) : v(x) {}
	V(const thread V &o) : v(o.v + 1) {}
	V(const threadgroup V &o) : v(o.v + 10) {}
	V(const volatile threadgroup V &o) : v(o.v + 100) {}
};
int get(V x) { return x.v; }
// run k 0=int[5] 1=int*4 -> 1=int[6 15 105 21]
kernel void k(device const V *d, device int *o) {
	threadgroup V s; threadgroup volatile V w;
	V a(5); s.v = 5; w.v = 5;
	o[0] = get(a); o[1] = get(s); o[2] = get(w); o[3] = get(d[0]) + 15;
}`},
	{name: "a reference that is bound to nothing", src: "struct R { thread int &r; };\nkernel void k(device int *o) { R r; }", err: "4:34: error: the member r of R is a reference, and is bound when the object is made"},
	{name: "a reference to a value", src: "struct R { thread const int &r; };\nkernel void k(device int *o) { R r{3}; }", err: "4:36: error: the reference r would be bound to a temporary, which ends before it"},
	{name: "a reference into another space", src: "struct R { thread int &r; };\nkernel void k(device int *o) { R r{o[0]}; }", err: "4:37: error: the reference r: device int cannot be bound to thread int&: it is in device, not in thread"},
	{name: "an assignment of references", src: "struct R { thread int &r; };\nkernel void k(device int *o) { int a; R r{a}, s{a}; r = s; }", err: "4:55: error: R is not assigned: a member is a reference"},
	{name: "a constructor that leaves a reference out", src: "struct R { thread int &r; R() {} };", err: "3:27: error: the member r of R is a reference"},
}

var recursive = []class{
	{name: "calls of itself that are the last", src: `
uint gcd_(uint a, uint b) { return b == 0 ? a : gcd_(b, a % b); }
int sum(int n, int s) { if (n == 0) { return s; } return sum(n - 1, s + n); }
int swap_down(int a, int b, int n) { if (n <= 0) return 10 * a + b; return swap_down(b, a, n - 1); }
bool even(uint n);
bool odd(uint n) { return n != 0 && even(n - 1); }
bool even(uint n) { return n == 0 || odd(n - 1); }
int find(device const int *p, int want, int i) { for (int j = 0; j < 3; j++) { if (p[i + j] == want) return i + j; if (p[i + j] < 0) return find(p, want, i + j + 1); } return -1; }
void fill(device int *p, int n, thread int &count) { if (n == 0) return; p[n - 1] = n; count++; fill(p, n - 1, count); }
void fill2(device int *p, int n) { while (true) { if (n == 0) { return; } p[n - 1] += 10; fill2(p, n - 1); return; } }
struct List { int v[4]; int last(int i) const { int x = v[i]; return x == 0 ? i : last(i + 1); } };
template <typename T> T power(T base, int n, T acc) { switch (n) { case 0: return acc; case 1: return acc * base; default: return power(base, n - 1, acc * base); } }
int walk(thread const int *p, int n) { return n == 0 ? *p : walk(p + 1, n - 1); }
// run k threads=4 0=int[5 9 -1 7 8 9] 1=int*4 2=int*4 3=int*3 -> 1=int[2 1 4 1] 2=int[10 21 12 21] 3=int[11 12 13]
// run r 0=int[5 9 -1 7 8 9] 1=int*10 -> 1=int[5050 34 1 0 4 -1 3 2 64 3]
kernel void k(device const int *a, device int *o, device int *p, device int *q, uint i [[thread_position_in_grid]]) {
	o[i] = gcd_(i + 6, 4); p[i] = i ? swap_down(1, 2, i) : sum(4, 0);
	if (i == 0) { int n = 0; fill(q, 3, n); fill2(q, n); }
}
kernel void r(device const int *a, device int *o) {
	o[0] = sum(100, 0); o[1] = swap_down(3, 4, 6); o[2] = even(8) && odd(7); o[3] = odd(4); o[4] = find(a, 8, 0); o[5] = find(a, 77, 3);
	List l = {{4, 2, 5, 0}}; o[6] = l.last(0); int v[] = {1, 2}; o[7] = walk(v, 1); o[8] = power(2, 6, 1); o[9] = find(a, 7, 0);
}
int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
kernel void bad(device int *o) { o[0] = fact(o[1]); }`, bad: "26:42: error: not supported: recursion: fact calls fact; write a loop, or call it last, as in return fact(…)"},
	{name: "a call that is not the last", src: `
void visit(device int *o, int n) { if (n > 0) { visit(o, n - 1); o[n] = n; } }
// run k 0=int*1 -> 0=int[1]
kernel void k(device int *o) { o[0] = 1; }
kernel void bad(device int *o) { visit(o, 4); }`, bad: "4:49: error: not supported: recursion: visit calls visit"},
	{name: "a call with another object", src: `
int count(thread int &a, int n) { int b = a + 1; return n == 0 ? a : count(b, n - 1); }
// run k 0=int*1 -> 0=int[1]
kernel void k(device int *o) { o[0] = 1; }
kernel void bad(device int *o) { int a = 0; o[0] = count(a, o[1]); }`, bad: "4:70: error: not supported: recursion: count calls count, with another object for the reference a; write a loop"},
}
