// kernels/cuda/paged_attention_blocks_32.cu — the program's kernels of v1 and v2 for blocks of 32.
#include "kernels/cuda/paged_attention_instances.cuh"

packed_kernel packed_kernel_of_blocks_32(int heads, int head_size) {
    switch (heads) {
    case 1:
        return kernel_in_program<32, 1>(head_size);
    case 2:
        return kernel_in_program<32, 2>(head_size);
    default:
        return nullptr;
    }
}
