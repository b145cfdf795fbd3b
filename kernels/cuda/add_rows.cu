// kernels/cuda/add_rows.cu — x = gain * (x + scale * y), or scale * y / sqrt(mean(y^2) + eps) *
// norm; and narrow, y = x in fp16. For each row.
//
//   add_rows  x, y  [rows, dim]  fp32, x in and out;  norm  [dim]  fp32 or none
//   narrow    x  [rows, dim]  fp32;  y  [rows, dim]  fp16, out
//
//   grid   rows;  block  THREADS, AHEAD columns a thread and step;  smem  THREADS/32 fp32
//
// Arithmetic is fp32. Bound by memory; for a few rows by the launch.
#include "kernels/cuda/device.cuh"

enum { THREADS = 512, AHEAD = 4 }; // a row is a block: what is loaded at once decides

static __global__ __launch_bounds__(THREADS) void add_rows_kernel(const add_rows args) {
    const size_t row = (size_t)blockIdx.x * args.dim;
    float *x = (float *)args.x + row;
    const float *y = (const float *)args.y + row;
    float scale = args.scale, squares = 0;
    grid_launch_dependents();
    grid_wait();
    if (args.norm) {
#pragma unroll 4
        for (int i = threadIdx.x; i < args.dim; i += THREADS)
            squares += y[i] * y[i];
        scale *= rsqrtf(block_sum<THREADS>(squares) / args.dim + args.eps);
    }
    for (int first = threadIdx.x; first < args.dim; first += THREADS * AHEAD) {
        float sums[AHEAD];
#pragma unroll
        for (int i = 0, at = first; i < AHEAD; i++, at += THREADS)
            if (at < args.dim)
                sums[i] = (args.anew ? 0 : x[at]) + y[at] * scale * (args.norm ? args.norm[at] : 1);
#pragma unroll
        for (int i = 0, at = first; i < AHEAD; i++, at += THREADS)
            if (at < args.dim) x[at] = args.gain * sums[i];
    }
}

static __global__ __launch_bounds__(THREADS) void narrow_kernel(const narrow args) {
    const size_t row = (size_t)blockIdx.x * args.dim;
    grid_launch_dependents();
    grid_wait();
    for (int i = threadIdx.x; i < args.dim; i += THREADS)
        from_float(((const float *)args.x)[row + i], (__half *)args.y + row + i);
}

extern "C" void cuda_add_rows(struct device *device, const struct add_rows *args) {
    ASSERT(args->rows > 0 && args->y != args->x);
    launch_after(device, add_rows_kernel, dim3(args->rows), dim3(THREADS), 0, *args);
}

extern "C" void cuda_narrow(struct device *device, const struct narrow *args) {
    ASSERT(args->rows > 0 && args->y != args->x);
    launch_after(device, narrow_kernel, dim3(args->rows), dim3(THREADS), 0, *args);
}
