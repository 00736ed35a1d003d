// The same small kernel in the styles of public shaders.
#include <metal_stdlib>
using namespace metal;

// Implicit buffer numbers, counted over the buffers alone, as in ggml.
// run implicit threads=4 0=float[1 2 3 4] 1=float[10 20 30 40] 2=float*4 3=uint[3] -> 2=float[11 22 33 0]
kernel void implicit(device const float * a, device const float * b, uint i [[thread_position_in_grid]], device float * out,
                     constant uint & n) {
    if (i >= n) return;
    out[i] = a[i] + b[i];
}

// The attribute form, attributes after the word, explicit numbers out of order.
// run attribute threads=3 0=int*3 5=int[7] 2=int[1 2 3] -> 0=int[8 9 10]
[[kernel]] void attribute(constant int &k [[buffer(5)]], const device int *in [[buffer(2)]], device int *out [[buffer(0)]],
                          uint3 tid [[thread_position_in_grid]]) {
    out[tid.x] = in[tid.x] + k;
}

// Attributes before the word kernel and in one list with it.
// run before threads=2 0=uint*2 -> 0=uint[5 5]
[[max_total_threads_per_threadgroup(64)]] kernel void before(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    out[i] = 5;
}

// run inlist threads=2 0=uint*2 -> 0=uint[0 6]
[[kernel, max_total_threads_per_threadgroup(32)]] void inlist(device uint *out [[buffer(0)]], uint i [[thread_position_in_grid]]) {
    out[i] = 6 * i;
}

// Macros that make kernels, with # and ##.
#define STR(x) #x
#define KERNEL_OP(NAME, T, OP)                                                                                     \
    kernel void NAME##_##T(device const T *a [[buffer(0)]], device const T *b [[buffer(1)]], device T *c [[buffer(2)]], \
                           uint i [[thread_position_in_grid]]) {                                                   \
        c[i] = a[i] OP b[i];                                                                                       \
    }
// run add_float threads=2 0=float[1.5 -2] 1=float[0.25 2] 2=float*2 -> 2=float[1.75 0]
KERNEL_OP(add, float, +)
// run mul_int threads=2 0=int[-3 4] 1=int[5 6] 2=int*2 -> 2=int[-15 24]
KERNEL_OP(mul, int, *)
// run xor_ulong threads=2 0=ulong[0xff00ff00ff00ff00 1] 1=ulong[0x0ff00ff00ff00ff0 3] 2=ulong*2 -> 2=ulong[0xf0f0f0f0f0f0f0f0 2]
KERNEL_OP(xor, ulong, ^)

// A struct of parameters by constant reference; a two-dimensional grid.
struct Params {
    uint width;
    uint height;
    float scale;
    packed_float3 offset;
};
// run params groups=2,1 threads=2,3 0=float*12 1=uint[4 3]float[0.5 1 2 3] -> 0=float[1 1.5 2 2.5 4 4.5 5 5.5 7 7.5 8 8.5]
kernel void params(device float *out, constant Params &p, uint2 pos [[thread_position_in_grid]]) {
    if (pos.x >= p.width || pos.y >= p.height) return;
    const uint i = pos.y * p.width + pos.x;
    out[i] = float(i) * p.scale + p.offset[pos.y];
}

// Many positions of one thread.
// run places groups=2 threads=6 width=4 0=uint*12 -> 0=uint[111600 111610 111620 111630 111601 111611 112600 112610 112620 112630 112601 112611]
kernel void places(device uint *out, uint g [[threadgroup_position_in_grid]], uint t [[thread_position_in_threadgroup]],
                   uint n [[threads_per_threadgroup]], ushort lane [[thread_index_in_simdgroup]],
                   ushort simd [[simdgroup_index_in_threadgroup]], uint all [[threads_per_grid]], uint groups [[threadgroups_per_grid]]) {
    out[g * n + t] = simd + lane * 10u + n * 100 + g * 1000 + all / 12 * 10000 + groups / 2 * 100000 + 1000;
}

// Local functions, forward declarations, static and inline.
static inline uint twice(uint x);
METAL_FUNC uint thrice(uint x) { return twice(x) + x; }
static inline uint twice(uint x) { return x << 1; }
// run forward threads=3 0=uint*3 -> 0=uint[0 3 6]
kernel void forward(device uint *out, uint i [[thread_position_in_grid]]) { out[i] = thrice(i); }

// C arrays, pointers to thread memory, arrays of arrays.
void fill(thread int *a, int n, int start) {
    for (int i = 0; i < n; ++i) *a++ = start + i;
}
// run arrays threads=2 0=int*2 -> 0=int[45 55]
kernel void arrays(device int *out, uint i [[thread_position_in_grid]]) {
    int a[2][5];
    fill(a[0], 5, int(i));
    fill(&a[1][0], 5, 5 + int(i));
    int sum = 0;
    for (int r = 0; r < 2; r++)
        for (int c = 0; c < 5; c++) sum += a[r][c];
    out[i] = sum;
}
