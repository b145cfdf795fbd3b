// kernels/cuda/embedding.cu — y[t] = table[token_ids[t] * stride + first] * scale, unpacked.
//
//   table      [vocabulary, columns]  any weight type, as in tiles.cuh
//   token_ids  [tokens]  int32
//   y          [tokens, columns]  fp32, the residual stream
//
//   grid   (columns / THREADS, tokens);  block  THREADS, a thread a column
//
// Cost: a few rows, bound by the launch. It is launched plainly, for the sake of all kernels that
// come after it in a step: see grid_wait().
#include "kernels/cuda/unpack.cuh"

enum { THREADS = 128 };

template <enum dtype TYPE> static __global__ void embedding_kernel(const embedding args) {
    const int column = blockIdx.x * THREADS + threadIdx.x, token = blockIdx.y;
    grid_launch_dependents();
    grid_wait();
    if (column >= args.table.columns) return;
    const int row = args.token_ids[token] * (args.stride ? args.stride : 1) + args.first;
    const float value = weight_at<TYPE>(args.table, row, column);
    ((float *)args.y)[(size_t)token * args.table.columns + column] =
        args.scale != 0 ? value * args.scale : value;
}

extern "C" void cuda_embedding(struct device *device, const struct embedding *args) {
    const dim3 grid(ceil_divide((size_t)args->table.columns, THREADS), (unsigned)args->tokens);
    ASSERT(args->tokens > 0);
    switch (kept_type(args->table.type)) {
#define CASE(id)                                                                   \
    case DTYPE_##id:                                                               \
        embedding_kernel<DTYPE_##id><<<grid, THREADS, 0, device->stream>>>(*args); \
        break;
        KEPT_MAP(CASE)
#undef CASE
    default: // kept_type() has no other
        ASSERT(false);
    }
    device_note(device, cudaGetLastError());
}
