// kernels/cuda/add_rows.cu — x = gain * (x + scale * y), or scale * y / sqrt(mean(y^2) + eps) *
// norm; and narrow, y = x in fp16. For each row.
//
//   add_rows  x, y  [rows, dim]  fp32, x in and out;  norm  [dim]  fp32 or none
//   narrow    x  [rows, dim]  fp32;  y  [rows, dim]  fp16, out
//
//   grid   rows;  block  THREADS, 4 columns a thread and step;  smem  THREADS/32 fp32
//
// Arithmetic is fp32. Bound by memory; for a few rows by its latency: a thread starts all its loads
// at once, and those of the weights, which no kernel writes, before grid_wait(). Columns past the
// first KEPT steps are read twice, the second time from L1.
#include "kernels/cuda/device.cuh"

enum { THREADS = 512, KEPT = 2 };

static __device__ inline float squares_of(float4 v) {
    return v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
}

static __device__ inline float4 weights_at(const add_rows &args, int i) {
    return args.norm ? ((const float4 *)args.norm)[i] : make_float4(1, 1, 1, 1);
}

static __device__ inline float4 old_at(const add_rows &args, const float4 *x, int i) {
    return args.overwrites ? make_float4(0, 0, 0, 0) : x[i];
}

static __device__ inline float4 sum_of(float4 x, float4 y, float4 w, float scale, float gain) {
    return make_float4(gain * (x.x + y.x * scale * w.x), gain * (x.y + y.y * scale * w.y),
                       gain * (x.z + y.z * scale * w.z), gain * (x.w + y.w * scale * w.w));
}

static __global__ __launch_bounds__(THREADS) void add_rows_kernel(const add_rows args) {
    const size_t row = (size_t)blockIdx.x * args.dim;
    float4 *x = (float4 *)((float *)args.x + row);
    const float4 *y = (const float4 *)((const float *)args.y + row);
    const int count = args.dim / 4, rest = threadIdx.x + KEPT * THREADS;
    float4 w[KEPT], v[KEPT] = {}, old[KEPT];
    float scale = args.scale, squares = 0;
    grid_launch_dependents();
#pragma unroll
    for (int k = 0; k < KEPT; k++)
        if ((int)threadIdx.x + k * THREADS < count)
            w[k] = weights_at(args, threadIdx.x + k * THREADS);
    grid_wait();
#pragma unroll
    for (int k = 0; k < KEPT; k++) {
        if ((int)threadIdx.x + k * THREADS >= count) continue;
        v[k] = y[threadIdx.x + k * THREADS];
        old[k] = old_at(args, x, threadIdx.x + k * THREADS);
    }
    if (args.norm) {
#pragma unroll
        for (int k = 0; k < KEPT; k++)
            squares += squares_of(v[k]);
        for (int i = rest; i < count; i += THREADS)
            squares += squares_of(y[i]);
        scale *= rsqrtf(block_sum<THREADS>(squares) / args.dim + args.eps);
    }
#pragma unroll
    for (int k = 0; k < KEPT; k++)
        if ((int)threadIdx.x + k * THREADS < count)
            x[threadIdx.x + k * THREADS] = sum_of(old[k], v[k], w[k], scale, args.gain);
    for (int i = rest; i < count; i += THREADS)
        x[i] = sum_of(old_at(args, x, i), y[i], weights_at(args, i), scale, args.gain);
}

static __global__ __launch_bounds__(THREADS) void narrow_kernel(const narrow args) {
    const size_t row = (size_t)blockIdx.x * args.dim;
    grid_launch_dependents();
    grid_wait();
    for (int i = threadIdx.x; i < args.dim; i += THREADS)
        from_float(((const float *)args.x)[row + i], (__half *)args.y + row + i);
}

extern "C" void cuda_add_rows(struct device *device, const struct add_rows *args) {
    ASSERT(args->rows > 0 && args->y != args->x && args->dim % 4 == 0);
    launch_after(device, add_rows_kernel, dim3(args->rows), dim3(THREADS), 0, *args);
}

extern "C" void cuda_narrow(struct device *device, const struct narrow *args) {
    ASSERT(args->rows > 0 && args->y != args->x);
    launch_after(device, narrow_kernel, dim3(args->rows), dim3(THREADS), 0, *args);
}
