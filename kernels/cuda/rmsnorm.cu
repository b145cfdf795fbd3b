// kernels/cuda/rmsnorm.cu — y = x / sqrt(mean(x^2) + eps) * weight, for each row; where centered,
// of x - mean(x), and plus bias.
//
//   x       [rows, dim]  fp32  in: the residual stream
//   weight  [dim]        fp32  in, read by every row, so it stays in L2
//   bias    [dim]        fp32  in, the same; or NULL
//   y       [rows, dim]  fp16  out
//
//   grid   rows;  block  THREADS, 4 columns a thread and step;  smem  THREADS/32 fp32
//
// Arithmetic is fp32; the one rounding to fp16 is at the store of y. Bound by memory bandwidth, for
// few rows by its latency: a thread starts all its loads at once, and those of the weights, which
// no kernel writes, before grid_wait(). Columns past the first KEPT steps are read twice, the
// second time from L1.
#include "kernels/cuda/device.cuh"

enum { THREADS = 512, KEPT = 4 };

static __device__ inline float squares_of(float4 v) {
    return v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
}

static __device__ inline uint2 scaled(float4 v, float4 w, float scale, float4 bias) {
    const __half2 a = halves(v.x * scale * w.x + bias.x, v.y * scale * w.y + bias.y);
    const __half2 b = halves(v.z * scale * w.z + bias.z, v.w * scale * w.w + bias.w);
    return make_uint2(*(const unsigned *)&a, *(const unsigned *)&b);
}

static __device__ inline float4 less(float4 v, float mean) {
    return make_float4(v.x - mean, v.y - mean, v.z - mean, v.w - mean);
}

template <bool CENTERED> static __device__ inline float4 bias_of(const rmsnorm &args, int i) {
    if (!CENTERED || !args.bias) return make_float4(0, 0, 0, 0);
    return ((const float4 *)args.bias)[i];
}

template <bool CENTERED>
static __global__ __launch_bounds__(THREADS) void rmsnorm_kernel(const rmsnorm args) {
    const size_t row = (size_t)blockIdx.x * args.dim;
    const float4 *x = (const float4 *)((const float *)args.x + row);
    const float4 *weight = (const float4 *)args.weight;
    uint2 *y = (uint2 *)((__half *)args.y + row);
    const int count = args.dim / 4;
    float4 v[KEPT] = {}, w[KEPT] = {};
    float mean = 0;

    grid_launch_dependents();
#pragma unroll
    for (int k = 0; k < KEPT; k++)
        if ((int)threadIdx.x + k * THREADS < count) w[k] = weight[threadIdx.x + k * THREADS];
    grid_wait();
#pragma unroll
    for (int k = 0; k < KEPT; k++)
        if ((int)threadIdx.x + k * THREADS < count) v[k] = x[threadIdx.x + k * THREADS];
    if constexpr (CENTERED) {
        float sum = 0;
        for (int i = threadIdx.x; i < count; i += THREADS)
            sum += (x[i].x + x[i].y) + (x[i].z + x[i].w);
        mean = block_sum<THREADS>(sum) / args.dim;
        __syncthreads(); // orders these reads of block_sum's before its next writes
#pragma unroll
        for (int k = 0; k < KEPT; k++)
            if ((int)threadIdx.x + k * THREADS < count) v[k] = less(v[k], mean);
    }
    float squares = 0;
#pragma unroll
    for (int k = 0; k < KEPT; k++)
        squares += squares_of(v[k]);
    for (int i = threadIdx.x + KEPT * THREADS; i < count; i += THREADS)
        squares += squares_of(less(x[i], mean));
    const float scale = rsqrtf(block_sum<THREADS>(squares) / args.dim + args.eps);
#pragma unroll
    for (int k = 0; k < KEPT; k++)
        if ((int)threadIdx.x + k * THREADS < count)
            y[threadIdx.x + k * THREADS] =
                scaled(v[k], w[k], scale, bias_of<CENTERED>(args, threadIdx.x + k * THREADS));
    for (int i = threadIdx.x + KEPT * THREADS; i < count; i += THREADS) // as above: no barrier
        y[i] = scaled(less(x[i], mean), weight[i], scale, bias_of<CENTERED>(args, i));
}

extern "C" void cuda_rmsnorm(struct device *device, const struct rmsnorm *args) {
    ASSERT(args->rows > 0 && args->dim % 4 == 0 && (args->centered || !args->bias));
    launch_after(device, args->centered ? rmsnorm_kernel<true> : rmsnorm_kernel<false>,
                 dim3(args->rows), dim3(THREADS), 0, *args);
}
