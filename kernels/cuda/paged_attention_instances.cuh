// kernels/cuda/paged_attention_instances.cuh — the kernels of v1 and v2 that the program carries.
//
// Activations and cache are fp16, the engine's default. Head sizes are those of common families
// and, for blocks of 16, the small ones of test models. Four query heads share a thread block with
// blocks of 16 only. Each further kernel costs every build a compilation for every generation of
// cards; a file is about what a processor compiles in a minute.
#pragma once
#include "kernels/cuda/paged_attention_kernel.cuh"

template <int BLOCK_SIZE, int HEADS> static inline packed_kernel kernel_in_program(int head_size) {
    return kernel_of_size<__half, __half, BLOCK_SIZE, HEADS, 64, 80, 96, 112, 128, 192, 256>(
        head_size);
}

// By head size; NULL: none.
packed_kernel packed_kernel_of_blocks_8(int heads, int head_size);
packed_kernel packed_kernel_of_blocks_16(int heads, int head_size); // 1 or 2 heads
packed_kernel packed_kernel_of_blocks_16_4(int head_size);          // 4 heads
packed_kernel packed_kernel_of_blocks_32(int heads, int head_size);
