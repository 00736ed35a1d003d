// Kernels as a user of CUDA writes them, for source_external_test.go: right ones, and wrong ones with what is wrong in their names.

#include <cuda_runtime.h>

// sum adds by a tree in shared memory, in one block.
extern "C" __global__ void sum(const float *x, float *out, unsigned n)
{
    extern __shared__ float part[];
    float s = 0;
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) s += x[i];
    part[threadIdx.x] = s;
    __syncthreads();
    for (unsigned w = blockDim.x / 2; w > 0; w /= 2) {
        if (threadIdx.x < w) part[threadIdx.x] += part[threadIdx.x + w];
        __syncthreads();
    }
    if (threadIdx.x == 0) *out = part[0];
}

// sum_drops adds full blocks alone: what is left over is lost.
extern "C" __global__ void sum_drops(const float *x, float *out, unsigned n)
{
    float s = 0;
    if (threadIdx.x > 0) return;
    for (unsigned i = 0; i + 4 <= n; i += 4) s += (x[i] + x[i + 1]) + (x[i + 2] + x[i + 3]);
    *out = s;
}

extern "C" __global__ void dot(const float *x, const float *y, float *out, size_t n)
{
    float s = 0;
    if (threadIdx.x > 0) return;
    for (size_t i = 0; i < n; i++) s += x[i] * y[i];
    *out = s;
}

// row_max returns the largest of what the threads of a block have.
static __device__ float row_max(float v, float *part)
{
    part[threadIdx.x] = v;
    __syncthreads();
    for (int i = 0; i < blockDim.x; i++) v = fmaxf(v, part[i]);
    __syncthreads();
    return v;
}

static __device__ float row_sum(float v, float *part)
{
    part[threadIdx.x] = v;
    __syncthreads();
    v = 0;
    for (int i = 0; i < blockDim.x; i++) v += part[i];
    __syncthreads();
    return v;
}

extern "C" __global__ void __launch_bounds__(256) softmax(const float *__restrict__ x, float *__restrict__ dst, int n)
{
    extern __shared__ float part[];
    const float *row = x + (size_t)blockIdx.x * n;
    float most = -INFINITY, s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) most = fmaxf(most, row[i]);
    most = row_max(most, part);
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += expf(row[i] - most);
    s = row_sum(s, part);
    for (int i = threadIdx.x; i < n; i += blockDim.x) dst[(size_t)blockIdx.x * n + i] = expf(row[i] - most) / s;
}

// softmax_naive subtracts no maximum: exp overflows.
extern "C" __global__ void softmax_naive(const float *x, float *dst, int n)
{
    extern __shared__ float part[];
    const float *row = x + (size_t)blockIdx.x * n;
    float s = 0;
    for (int i = threadIdx.x; i < n; i += blockDim.x) s += expf(row[i]);
    s = row_sum(s, part);
    for (int i = threadIdx.x; i < n; i += blockDim.x) dst[(size_t)blockIdx.x * n + i] = expf(row[i]) / s;
}

// fast_exp has an intrinsic where the claim is that of expf.
extern "C" __global__ void fast_exp(const float *x, float *dst, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) dst[i] = __expf(x[i]);
}

#ifdef __CUDA_ARCH__
// matmul has a tile of 16 by 16 in each block.
extern "C" __global__ void matmul(const float *a, const float *b, float *c, int m, int n, int k)
{
    __shared__ float ta[16][16], tb[16][16];
    int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
    float s = 0;
    for (int t = 0; t < k; t += 16) {
        ta[threadIdx.y][threadIdx.x] = row < m && t + threadIdx.x < k ? a[row * k + t + threadIdx.x] : 0;
        tb[threadIdx.y][threadIdx.x] = col < n && t + threadIdx.y < k ? b[(t + threadIdx.y) * n + col] : 0;
        __syncthreads();
        for (int i = 0; i < 16; i++) s += ta[threadIdx.y][i] * tb[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && col < n) c[row * n + col] = s;
}
#endif

extern "C" {
// count has no formula: how often each of 16 values occurs, by atomics on integers, which repeat.
__global__ void count(const unsigned char *x, unsigned *bins, int n)
{
    __shared__ unsigned own[16];
    if (threadIdx.x == 0) for (int i = 0; i < 16; i++) own[i] = 0;
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&own[x[i] % 16], 1u);
    __syncthreads();
    if (threadIdx.x == 0) for (int i = 0; i < 16; i++) bins[i] = own[i];
}

// unwritten leaves the last bin as it was.
__global__ void unwritten(const unsigned char *x, unsigned *bins, int n)
{
    if (threadIdx.x == 0) for (int i = 0; i < 15; i++) bins[i] = n;
}

// wild writes where nothing is.
__global__ void wild(const float *x, float *dst, int n)
{
    dst[(1ull << 44) + threadIdx.x] = x[0];
}
}
