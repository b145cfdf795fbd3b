// kernels/cuda/rmsnorm.cu — x += delta;  y = x / sqrt(mean(x^2) + eps) * weight, for each row.
//
//   x       [rows, dim]  fp32  in, and out where delta is added: the residual stream
//   delta   [rows, dim]  fp16  in, or NULL
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
    float4 *x = (float4 *)((float *)args.x + row);
    const uint2 *delta = (const uint2 *)((const __half *)args.delta + row);
    const float4 *weight = (const float4 *)args.weight;
    uint2 *y = (uint2 *)((__half *)args.y + row);

    float squares = 0;
    for (int i = threadIdx.x; i < args.dim / 4; i += THREADS) {
        float4 v = x[i];
        if (args.delta) {
            const uint2 bits = delta[i];
            const float2 a = __half22float2(*(const __half2 *)&bits.x);
            const float2 b = __half22float2(*(const __half2 *)&bits.y);
            v = make_float4(v.x + a.x, v.y + a.y, v.z + b.x, v.w + b.y);
            x[i] = v;
        }
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
    rmsnorm_kernel<<<args->rows, THREADS, 0, device->stream>>>(*args);
    device_note(device, cudaGetLastError());
}
