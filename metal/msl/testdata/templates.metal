// Templates as public libraries use them.
#include <metal_stdlib>
#include <metal_simdgroup>
using namespace metal;

// Explicit instantiation with host_name.
template <typename T, int N>
[[kernel]] void scale(device T *x [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    x[i] = x[i] * T(N);
}
// run scale_f32_3 threads=2 0=float[1 2] -> 0=float[3 6]
template [[host_name("scale_f32_3")]] [[kernel]] void scale<float, 3>(device float *x [[buffer(0)]], uint i [[thread_position_in_grid]]);
// run scale_u64_5 threads=2 0=ulong[1 0x2000000000] -> 0=ulong[5 0xa000000000]
template [[host_name("scale_u64_5")]] [[kernel]] decltype(scale<ulong, 5>) scale<ulong, 5>;

// ggml's form: a typedef of the type of one instance.
typedef decltype(scale<int, 2>) scale_t;
// run kernel_scale_int threads=2 0=int[-1 7] -> 0=int[-2 14]
template [[host_name("kernel_scale_int")]] kernel scale_t scale<int, 2>;

// MLX's macro.
#define instantiate_kernel(name, func, ...) \
    template [[host_name(name)]] [[kernel]] decltype(func<__VA_ARGS__>) func<__VA_ARGS__>;

// Functors with static members, one of them a constant template of its type.
struct Add {
    template <typename T> T operator()(T a, T b) { return a + b; }
};
template <typename U> struct MaxOf {
    static constexpr constant U init = numeric_limits<U>::lowest();
    U operator()(U a, U b) { return a > b ? a : b; }
};
template <typename U> struct SumOf {
    static constexpr constant U init = U(0);
    U operator()(U a, U b) { return a + b; }
};

template <typename T, typename U, typename Op, int NREADS = 2>
[[kernel]] void row(const device T *in [[buffer(0)]], device U *out [[buffer(1)]], const constant size_t &size [[buffer(2)]],
                    uint gid [[thread_position_in_grid]]) {
    Op op;
    U total = Op::init;
    in += gid * size;
    size_t r = 0;
    for (; r + NREADS <= size; r += NREADS) {
        U vals[NREADS];
        for (int i = 0; i < NREADS; i++) vals[i] = static_cast<U>(in[r + i]);
        for (int i = 0; i < NREADS; i++) total = op(vals[i], total);
    }
    for (; r < size; ++r) total = op(static_cast<U>(in[r]), total);
    out[gid] = total;
}
#define instantiate_row(op, tname, T, U) instantiate_kernel("row_" #op "_" #tname, row, T, U, op<U>)
// run row_MaxOf_i32 threads=2 0=int[-5 -3 -9 4 7 2] 1=int*2 2=ulong[3] -> 1=int[-3 7]
instantiate_row(MaxOf, i32, int, int)
// run row_SumOf_f16 threads=2 0=half[1 2 0.5 4 7 2] 1=float*2 2=ulong[3] -> 1=float[3.5 13]
instantiate_row(SumOf, f16, half, float)

// A functor as a template argument of a kernel, and its type as one of another template's.
template <typename Op, typename T> T apply(T a, T b) { return Op()(a, b); }
template <typename T, typename Op> kernel void binary(device const T *a, device const T *b, device T *c, uint i [[thread_position_in_grid]]) {
    c[i] = apply<Op>(a[i], b[i]);
}
// run binary_add threads=2 0=short[1 -2] 1=short[3 4] 2=short*2 -> 2=short[4 2]
instantiate_kernel("binary_add", binary, short, Add)

// Nested templates with value parameters; specialisation; if constexpr; traits.
template <uint N> struct Log2 { static constant constexpr uint value = 1 + Log2<N / 2>::value; };
template <> struct Log2<1> { static constant constexpr uint value = 0; };
template <typename T> struct Pair { T a, b; };
template <typename T> struct Twice { Pair<Pair<T>> p; };
template <typename T> T width_of(T x) {
    if constexpr (is_same_v<T, uchar>) {
        return x + 1;
    } else if constexpr (sizeof(T) == 2) {
        return x + 2;
    } else {
        return x + sizeof(T);
    }
}
// run nested threads=1 0=uint*6 -> 0=uint[5 16 11 12 14 18]
kernel void nested(device uint *out) {
    out[0] = Log2<32>::value;
    out[1] = sizeof(Twice<float>);
    out[2] = width_of(uchar(10));
    out[3] = width_of(ushort(10));
    out[4] = width_of(10u);
    out[5] = width_of(10ul);
}

// SFINAE by enable_if, constexpr functions, aliases.
template <typename T, enable_if_t<is_integral_v<T>, bool> = true> int kind(T) { return 1; }
template <typename T, enable_if_t<is_floating_point_v<T>, bool> = true> int kind(T) { return 2; }
constexpr uint power(uint b, uint e) {
    uint p = 1;
    for (; e > 0; e--) p *= b;
    return p;
}
template <typename T> using Vec4 = vec<T, 4>;
// run traits threads=1 0=int*4 -> 0=int[1 2 243 10]
kernel void traits(device int *out) {
    out[0] = kind(3);
    out[1] = kind(3.0f);
    constexpr uint p = power(3, 5);
    static_assert(p == 243, "");
    out[2] = p;
    Vec4<int> v(1, 2, 3, 4);
    out[3] = v.x + v.y + v.z + v.w;
}

// Deduction by address space, auto, default template arguments.
template <typename T, int N = 4> T sum_of(const device T *p) {
    T s = 0;
    for (int i = 0; i < N; ++i) s += p[i];
    return s;
}
template <typename T, int N = 4> T sum_of(const threadgroup T *p) {
    T s = 100;
    for (int i = 0; i < N; ++i) s += p[i];
    return s;
}
// run spaces threads=4 0=float[1 2 3 4] 1=float*2 -> 1=float[10 120]
kernel void spaces(const device float *in, device float *out, uint t [[thread_position_in_threadgroup]]) {
    threadgroup float shared[4];
    shared[t] = in[t] * 2;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    if (t == 0) {
        auto a = sum_of(in);
        auto b = sum_of(shared);
        out[0] = a;
        out[1] = b;
    }
}
