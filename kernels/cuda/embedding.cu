// kernels/cuda/embedding.cu — y[t] = table[token_ids[t]], unpacked.
//
//   table      [vocabulary, columns]  any weight type
//   token_ids  [tokens]  int32
//   y          [tokens, columns]  fp32, the residual stream
//
//   grid   tokens;  block  THREADS, 8 columns a thread and step
//
// Cost: a few rows, bound by the launch.
#include "kernels/cuda/unpack.cuh"

enum { THREADS = 128 };

template <enum dtype TYPE>
static __global__ void embedding_kernel(const embedding args, size_t row_bytes) {
    const char *row = (const char *)args.table.data + args.token_ids[blockIdx.x] * row_bytes;
    float *y = (float *)args.y + (size_t)blockIdx.x * args.table.columns;
    for (int column = 8 * threadIdx.x; column < args.table.columns; column += 8 * THREADS) {
        float w[8];
        unpack8<TYPE>(row, column, w);
        for (int i = 0; i < 8; i++)
            y[column + i] = w[i];
    }
}

extern "C" void cuda_embedding(struct device *device, const struct embedding *args) {
    const size_t row_bytes = dtype_row_bytes(args->table.type, args->table.columns);
    ASSERT(args->tokens > 0 && args->table.columns % 8 == 0);
    switch (args->table.type) {
#define CASE(id, bytes, elements, name)                                       \
    case DTYPE_##id:                                                          \
        embedding_kernel<DTYPE_##id>                                          \
            <<<args->tokens, THREADS, 0, device->stream>>>(*args, row_bytes); \
        break;
        DTYPE_MAP(CASE)
#undef CASE
    case DTYPE_COUNT:
        ASSERT(false);
    }
    device_note(device, cudaGetLastError());
}
