// kernels/cuda/paged_attention_instances.cu — which of the program's kernels of v1 and v2.
#include "kernels/cuda/paged_attention_instances.cuh"

packed_kernel packed_kernel_in_program(const struct packed_shape *shape) {
    if (shape->type != DTYPE_F16 || shape->format != CACHE_SAME) return nullptr;
    const int heads = shape->heads_per_block, head_size = shape->head_size;
    switch (shape->block_size) {
    case 8:
        return packed_kernel_of_blocks_8(heads, head_size);
    case 16:
        return heads == 4 ? packed_kernel_of_blocks_16_4(head_size)
                          : packed_kernel_of_blocks_16(heads, head_size);
    case 32:
        return packed_kernel_of_blocks_32(heads, head_size);
    default:
        return nullptr;
    }
}
