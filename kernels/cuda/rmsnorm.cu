// kernels/cuda/rmsnorm.cu — y = x / sqrt(mean(x^2) + eps) * weight, for each row.
//
//   x       [rows, dim]  fp32  in: the residual stream
//   weight  [dim]        fp32  in, read by every row, so it stays in L2
//   y       [rows, dim]  fp16  out
//
//   grid   rows;  block  THREADS, 4 columns a thread and step;  smem  THREADS/32 fp32
//
// Arithmetic is fp32; the one rounding to fp16 is at the store of y. Bound by memory: a row is read
// twice, but the second time from L1.
#include "kernels/cuda/cuda.cuh"

enum { THREADS = 256 };

static __global__ __launch_bounds__(THREADS) void rmsnorm_kernel(const rmsnorm args) {
    const size_t row = (size_t)blockIdx.x * args.dim;
    const float4 *x = (const float4 *)((const float *)args.x + row);
    const float4 *weight = (const float4 *)args.weight;
    uint2 *y = (uint2 *)((__half *)args.y + row);

    grid_launch_dependents();
    grid_wait();
    float squares = 0;
    for (int i = threadIdx.x; i < args.dim / 4; i += THREADS) {
        const float4 v = x[i];
        squares += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    const float scale = rsqrtf(block_sum<THREADS>(squares) / args.dim + args.eps);

    for (int i = threadIdx.x; i < args.dim / 4; i += THREADS) { // its own columns: no barrier
        const float4 v = x[i], w = weight[i];
        const __half2 a = halves(v.x * scale * w.x, v.y * scale * w.y);
        const __half2 b = halves(v.z * scale * w.z, v.w * scale * w.w);
        y[i] = make_uint2(*(const unsigned *)&a, *(const unsigned *)&b);
    }
}

extern "C" void cuda_rmsnorm(struct device *device, const struct rmsnorm *args) {
    ASSERT(args->rows > 0 && args->dim % 4 == 0);
    launch_after(device, rmsnorm_kernel, dim3(args->rows), dim3(THREADS), 0, *args);
}
