#include <metal_stdlib>
using namespace metal;

struct Params { uint n; float scale; packed_float3 v; float4 w[2]; };

constant float table[4] = {1.0f, 2.0f, 3.0f};
constant uint mask = (1u << 5) - 1;

inline float helper(float x, int k = 2) {
    switch (k) {
    case 0: return x;
    case 1:
    case 2: x += 1; break;
    default: return -x;
    }
    return x * 2;
}

static float dot3(thread const float *a, const device float *b, int n) {
    float s = 0;
    for (int i = 0; i < n; i++) s = fma(a[i], b[i], s);
    return s;
}

kernel void sum(device const float *in [[buffer(0)]],
                device float *out,
                constant Params &p [[buffer(2)]],
                threadgroup float *scratch [[threadgroup(0)]],
                uint gid [[thread_position_in_grid]],
                ushort2 tid [[thread_position_in_threadgroup]]) {
    threadgroup float shared[256];
    float acc = 0.0f;
    float local[4] = {1, 2};
    for (uint i = gid; i < p.n; i += 4) {
        acc += in[i] * p.scale;
        if (acc > 100) continue;
        local[i & 3] = acc;
    }
    shared[tid.x] = acc;
    threadgroup_barrier(mem_flags::mem_threadgroup);
    float4 q = float4(acc, local[1], 0, 1);
    q.xy = q.yx;
    q.zw += float2(1.0, 2.0);
    bool4 b = q > 1.0f;
    q = select(q, float4(0), b);
    q = b ? q : float4(1);
    half h = 1.5h;
    h = h + 1;
    ushort s = 3;
    s <<= 2;
    int k = s + tid.y;
    do { k--; } while (k > 0 && any(b));
    while (true) { break; }
    uint u = as_type<uint>(acc) ^ mask;
    out[gid] = helper(acc) + dot3(local, in, 4) + table[k & 3] + float(u) + h;
    out[gid] += q.x ? scratch[0] : shared[0];
    p.w[0].x;
}

template <typename T, int N>
T reduce(const device T *x, uint i) {
    T s = T(0);
    for (int k = 0; k < N; ++k) s += x[i + k];
    return s;
}

template <typename T, int N = 4>
kernel void red(device const T *in [[buffer(0)]], device T *out [[buffer(1)]], uint i [[thread_position_in_grid]]) {
    out[i] = reduce<T, N>(in, i);
}

template [[host_name("red_float_8")]] kernel void red<float, 8>(device const float *, device float *, uint);
template [[host_name("red_half")]] [[kernel]] decltype(red<half>) red<half>;

struct cplx {
    float re, im;
    cplx() : re(0), im(0) {}
    cplx(float r, float i = 0) thread : re(r), im(i) {}
    cplx operator+(cplx o) const { return cplx(re + o.re, im + o.im); }
    thread cplx &operator+=(const thread cplx &o) { re += o.re; im += o.im; return *this; }
    float norm() const thread { return sqrt(re * re + im * im); }
    static cplx one() { return {1, 0}; }
};
cplx operator*(cplx a, cplx b) { return cplx(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re); }

kernel void cmul(device cplx *x, uint i [[thread_position_in_grid]]) {
    cplx a = x[i];
    cplx b(1);
    b += a * cplx::one() + 2.0f;
    x[i] = b;
    x[i + 1].re = b.norm();
}
