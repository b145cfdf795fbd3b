// kernels/cuda/paged_attention_blocks_16.cu — the program's kernels of v1 and v2 for blocks of 16
// and one or two query heads a thread block.
#include "kernels/cuda/paged_attention_instances.cuh"

template <int HEADS> static packed_kernel of_size(int head_size) {
    const packed_kernel small = kernel_of_size<__half, __half, 16, HEADS, 16, 32>(head_size);
    return small ? small : kernel_in_program<16, HEADS>(head_size);
}

packed_kernel packed_kernel_of_blocks_16(int heads, int head_size) {
    switch (heads) {
    case 1:
        return of_size<1>(head_size);
    case 2:
        return of_size<2>(head_size);
    default:
        return nullptr;
    }
}
