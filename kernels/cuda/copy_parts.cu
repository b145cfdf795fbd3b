// kernels/cuda/copy_parts.cu — parts of rows to where the strides say.
//
//   x, y   fp16, `elements` side by side in each of rows x columns parts; y out
//
//   grid   (elements of a row / THREADS, rows);  block  THREADS, an element a thread
//
// Bound by memory: a read and a write.
#include "kernels/cuda/device.cuh"

enum { THREADS = 256 };

static __global__ void copy_parts_kernel(const copy_parts args) {
    const size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t column = i / args.elements, element = i % args.elements, row = blockIdx.y;
    grid_launch_dependents();
    grid_wait();
    if (column >= (size_t)args.columns) return;
    ((__half *)args.y)[row * args.y_row + column * args.y_column + element] =
        ((const __half *)args.x)[row * args.x_row + column * args.x_column + element];
}

extern "C" void cuda_copy_parts(struct device *device, const struct copy_parts *args) {
    ASSERT(args->rows > 0 && args->columns > 0 && args->elements > 0);
    const size_t elements = (size_t)args->columns * (size_t)args->elements;
    const dim3 grid(ceil_divide(elements, THREADS), args->rows);
    launch_after(device, copy_parts_kernel, grid, dim3(THREADS), 0, *args);
}
