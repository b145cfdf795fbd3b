// kernels/cuda/paged_attention_blocks_16_4.cu — the program's kernels of v1 and v2 for blocks of 16
// and four query heads a thread block.
#include "kernels/cuda/paged_attention_instances.cuh"

packed_kernel packed_kernel_of_blocks_16_4(int head_size) {
    return kernel_in_program<16, 4>(head_size);
}
