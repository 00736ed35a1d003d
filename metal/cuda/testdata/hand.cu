// Kernels by hand for hand_test.go: the argument is address and length of each buffer or offset of each threadgroup argument, in their
// order, then per axis threads of the grid, threadgroups, threads of a threadgroup, origin.
typedef unsigned long long word;
template <int N> struct Words { word w[N]; };

extern "C" __global__ void empty(Words<14> a) {}

extern "C" __global__ void fill(Words<16> a)
{
    word i = (word)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.w[4]) {
        ((unsigned*)a.w[0])[i] = *(const unsigned*)a.w[2] + (unsigned)i;
    }
}

extern "C" __global__ void copy(Words<16> a)
{
    word i = (word)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < a.w[4]) {
        ((float4*)a.w[0])[i] = ((const float4*)a.w[2])[i];
    }
}

extern "C" __global__ void forever(Words<14> a)
{
    volatile unsigned* p = (volatile unsigned*)a.w[0];
    while (*p != 0xdeadbeef) {
    }
}

extern "C" __global__ void wild(Words<14> a) { *(volatile unsigned*)(a.w[0] + (1ull << 46)) = 1; }

extern "C" __global__ void shared(Words<15> a)
{
    extern __shared__ unsigned memory[];
    unsigned* t = memory + a.w[2] / 4;
    unsigned far = 40000 + threadIdx.x;
    t[far] = threadIdx.x;
    __syncthreads();
    ((unsigned*)a.w[0])[threadIdx.x] = t[40000 + 511 - threadIdx.x];
}

extern "C" __global__ void probe(Words<16> a)
{
    const float* in = (const float*)a.w[0];
    unsigned* out = (unsigned*)a.w[2];
    out[0] = __float_as_uint(in[0] + in[1]);
    out[1] = __float_as_uint(in[2] + in[1]);
    out[2] = __float_as_uint(in[3] * in[4]);
    out[3] = __float_as_uint(in[5] * in[6]);
    out[4] = __float_as_uint(in[7] * in[8]);
    out[5] = __float_as_uint(in[9] * in[9] - in[10]);
    float square = in[9] * in[9];
    out[6] = __float_as_uint(square - in[10]);
    out[7] = __float_as_uint(__fmaf_rn(in[9], in[9], in[11]));
    for (int i = 0; i < 64; i++) {
        out[16 + 2 * i] = __float_as_uint(in[16 + 2 * i] / in[17 + 2 * i]);
        out[17 + 2 * i] = __float_as_uint(sqrtf(in[16 + 2 * i]));
    }
}

extern "C" __global__ void probe_half(Words<16> a)
{
    const unsigned* in = (const unsigned*)a.w[0];
    unsigned* out = (unsigned*)a.w[2];
    for (int i = 0; i < 2; i++) {
        unsigned short r;
        asm("mul.rn.f16 %0, %1, %2;" : "=h"(r) : "h"((unsigned short)in[2 * i]), "h"((unsigned short)in[2 * i + 1]));
        out[i] = r;
    }
}
