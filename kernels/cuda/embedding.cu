// kernels/cuda/embedding.cu — y[t] = table[token_ids[t] * stride + first] * scale, unpacked.
//
//   table      [vocabulary, columns]  any weight type, as in tiles.cuh
//   token_ids  [tokens]  int32
//   y          [tokens, columns]  fp32, the residual stream
//
// The kernels are in type.cu.
#include "kernels/cuda/types.cuh"

extern "C" void cuda_embedding(struct device *device, const struct embedding *args) {
    ASSERT(args->first >= 0 && args->first < args->stride);
    ASSERT(args->tokens > 0);
    type_kernels(kept_type(args->table.type))->embedding(device, args);
}
