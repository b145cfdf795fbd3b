// kernels/cuda/paged_attention_instances.cu — the kernels of v1 and v2 that the program carries.
//
// Activations and cache are fp16 and a block has 16 tokens, as the engine has them unless told
// otherwise; head sizes are those of the common families. Each further one costs every build a
// compilation for every generation of cards.
#include "kernels/cuda/paged_attention_kernel.cuh"

packed_kernel packed_kernel_in_program(const struct packed_shape *shape) {
    if (shape->type != DTYPE_F16 || shape->format != CACHE_SAME || shape->block_size != 16)
        return nullptr;
    switch (shape->heads_per_block) {
    case 1:
        return kernel_of_size<__half, __half, 16, 1, 64, 128>(shape->head_size);
    case 2:
        return kernel_of_size<__half, __half, 16, 2, 64, 128>(shape->head_size);
    case 4:
        return kernel_of_size<__half, __half, 16, 4, 64, 128>(shape->head_size);
    default:
        return nullptr;
    }
}
