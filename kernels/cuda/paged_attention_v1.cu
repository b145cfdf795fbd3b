// kernels/cuda/paged_attention_v1.cu — softmax(q K^T scale) V, a thread block a context.
//
//   grid   (num_heads / heads_per_block, num_seqs, 1)
//   block  NUM_THREADS
//   smem   heads_per_block x max(max_seq_len in whole blocks, WARPS x head_size) fp32
//
// The kernel is in paged_attention_kernel.cuh. Bound by latency for few sequences, because one
// thread block reads a whole context.
#include "kernels/cuda/paged_attention_kernel.cuh"

enum {
    MAX_HEADS_PER_BLOCK = 4,
    SHARED_BUDGET = 72 << 10, // three thread blocks still fit on a multiprocessor of 227 KB
};

static struct packed_shape shape_of(const struct packed_attention *args, int heads_per_block) {
    return {args->type, args->format, args->head_size, args->block_size, heads_per_block};
}

int packed_heads_per_block(const struct device *device, const struct packed_attention *args,
                           packed_kernel_find find, int logit_stride, int partitions) {
    const int group = args->num_heads / args->num_kv_heads;
    const int64_t many = 8 * (int64_t)device->properties.multiProcessorCount;
    for (int heads = MAX_HEADS_PER_BLOCK; heads > 1; heads /= 2) {
        const struct packed_shape shape = shape_of(args, heads);
        const int64_t thread_blocks =
            (int64_t)args->num_seqs * partitions * (args->num_heads / heads);
        const size_t logits = (size_t)heads * (size_t)logit_stride * sizeof(float);
        const bool enough = heads == 2 || thread_blocks >= many;
        if (group % heads == 0 && enough && logits <= SHARED_BUDGET && find(&shape)) return heads;
    }
    const struct packed_shape shape = shape_of(args, 1);
    return find(&shape) ? 1 : 0;
}

void packed_launch_kernel(struct device *device, const struct packed_attention *args,
                          const struct packed_launch *launch, packed_kernel kernel,
                          int heads_per_block, int partitions) {
    const size_t logits = (size_t)launch->logit_stride, values = WARPS * (size_t)args->head_size;
    const size_t shared =
        (size_t)heads_per_block * (logits > values ? logits : values) * sizeof(float);
    ASSERT(args->num_seqs > 0 && args->num_seqs <= 65535 && partitions <= 65535);
    ASSERT(args->num_heads % args->num_kv_heads == 0);
    ASSERT(args->num_heads / args->num_kv_heads % heads_per_block == 0);
    ASSERT(args->block_bytes % 16 == 0 && (uintptr_t)args->k_cache % 16 == 0 &&
           (uintptr_t)args->v_cache % 16 == 0);
    const dim3 grid(args->num_heads / heads_per_block, args->num_seqs, partitions);
    if (shared > 32 << 10) // with q, more than a kernel gets without the attribute
        device_allow_shared(device, (const void *)kernel, shared);
    kernel<<<grid, NUM_THREADS, shared, device->stream>>>(*args, *launch);
    device_note(device, cudaGetLastError());
}

void paged_attention_v1_with(struct device *device, const struct packed_attention *args,
                             packed_kernel_find find, int heads_per_block) {
    const int blocks = (int)ceil_divide((size_t)args->max_seq_len, (size_t)args->block_size);
    const struct packed_launch launch = {
        .partition_keys = args->max_seq_len,
        .logit_stride = blocks * args->block_size,
    };
    const int heads = heads_per_block
                          ? heads_per_block
                          : packed_heads_per_block(device, args, find, launch.logit_stride, 1);
    const struct packed_shape shape = shape_of(args, heads);
    const packed_kernel kernel = find(&shape);
    ASSERT(kernel);
    packed_launch_kernel(device, args, &launch, kernel, heads, 1);
}

int32_t paged_attention_v1_longest(struct device *device, packed_kernel kernel, int block_size) {
    struct cudaFuncAttributes attributes = {};
    device_note(device, cudaFuncGetAttributes(&attributes, (const void *)kernel));
    const size_t free = device->properties.sharedMemPerBlockOptin - attributes.sharedSizeBytes;
    return (int32_t)(free / sizeof(float)) / block_size * block_size;
}

extern "C" void cuda_paged_attention_v1(struct device *device,
                                        const struct packed_attention *args) {
    paged_attention_v1_with(device, args, packed_kernel_in_program, 0);
}
