// kernels/cuda/scale_rows.cu — x[r] = factors[r] * x[r], and then factors[r] = 1 unless it keeps
// them.
//
//   x        [rows, dim]  fp16, in and out
//   factors  [rows]       fp32, in and out
//
//   grid   rows;  block  THREADS, every THREADS-th element a thread
//
// Rounded once at the store. Bound by memory: a read and a write.
#include "kernels/cuda/device.cuh"

enum { THREADS = 256 };

static __global__ void scale_rows_kernel(const scale_rows args) {
    __half *x = (__half *)args.x + (size_t)blockIdx.x * args.dim;
    grid_launch_dependents();
    grid_wait();
    const float factor = args.factors[blockIdx.x];
    __syncthreads(); // all have read the factor
    for (int i = threadIdx.x; i < args.dim; i += THREADS)
        x[i] = __float2half(factor * __half2float(x[i]));
    if (threadIdx.x == 0 && !args.keeps) args.factors[blockIdx.x] = 1;
}

extern "C" void cuda_scale_rows(struct device *device, const struct scale_rows *args) {
    ASSERT(args->rows > 0 && args->dim > 0);
    launch_after(device, scale_rows_kernel, dim3(args->rows), dim3(THREADS), 0, *args);
}
