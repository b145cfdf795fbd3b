// kernels/cuda/paged_attention_blocks_8.cu — the program's kernels of v1 and v2 for blocks of 8.
#include "kernels/cuda/paged_attention_instances.cuh"

packed_kernel packed_kernel_of_blocks_8(int heads, int head_size) {
    switch (heads) {
    case 1:
        return kernel_in_program<8, 1>(head_size);
    case 2:
        return kernel_in_program<8, 2>(head_size);
    default:
        return nullptr;
    }
}
